import pytest

from pauseproof.readers.suggest import did_you_mean, expected_one_of, nearest

PORTS = [f"leaf{i}:swp{j}" for i in (1, 4, 10) for j in (31, 32)]


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("leaf1", ["leaf1:swp31", "leaf1:swp32"]),  # not those of leaf10, and not leaf4, which is as long
        ("leaf10:swp3", ["leaf10:swp31", "leaf10:swp32"]),  # no device: the shortest that begin with it
        ("leaf", ["leaf1:swp31", "leaf1:swp32", "leaf4:swp31", "leaf4:swp32"]),
        ("leef4:swp31", ["leaf4:swp31"]),
        ("zzz", []),
        ("", []),
    ],
)
def test_beginnings_come_before_what_is_alike(word: str, near: list[str]) -> None:
    assert nearest(word, sorted(PORTS)) == near


def test_of_words_the_shortest_that_begins_so_is_meant() -> None:
    assert nearest("AZUR", ["AZURE", "AZURE_TUNNEL"]) == ["AZURE"]


def test_few_are_named_of_many() -> None:
    assert did_you_mean(["a"]) == "did you mean 'a'?"
    assert did_you_mean(["a", "b", "c"]) == "did you mean 'a', 'b' or 'c'?"
    many = expected_one_of("h", [f"h{i}" for i in range(1000)])
    assert many == "did you mean 'h0', 'h1', 'h2', 'h3' or another like them?"


def test_a_name_that_is_given_twice_is_named_once() -> None:
    assert expected_one_of("h1", ["h1/2", "h1/2"]) == "did you mean 'h1/2'?"


def test_where_nothing_is_near_the_legal_ones_are_listed() -> None:
    assert expected_one_of("qqq", [f"n{i:02}" for i in range(20)]).endswith("n11, ...")
    assert expected_one_of("qqq", []) == "none is known"
