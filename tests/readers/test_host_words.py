import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.readers.host_words import MOST_NAMES, Template, expand


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("gpu7", ["gpu7"]),
        ("gpu[1-3]", ["gpu1", "gpu2", "gpu3"]),
        ("r[1,3]n[09-10]", ["r1n09", "r1n10", "r3n09", "r3n10"]),
        ("a[5]b", ["a5b"]),
        ("gpu*", ["gpu*"]),
    ],
)
def test_ranges(word: str, names: list[str]) -> None:
    assert expand(word) == names


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("gpu[3-1]", "the range '3-1' in 'gpu[3-1]' is empty"),
        ("gpu[1-]", "'1-' in 'gpu[1-]' is no range; expected numbers such as 1-16,20"),
        ("gpu[0-999999999]", "longer than 1048576 names"),
        ("a[1-9999]b[1-9999]", f"stands for more than {MOST_NAMES} names"),
    ],
)
def test_ranges_that_are_none(word: str, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        expand(word)
    assert problem in str(caught.value)


def test_templates() -> None:
    assert Template.of("{node} mlx5_{nic}").filled("gpu1", 0, 3) == "gpu1 mlx5_3"
    assert Template.of("leaf{index//32*8+nic:3}-h{index%32:2}").filled("", 70, 5) == "leaf021-h06"
    assert Template.of("{nic*2+device}").filled("", 0, 3, 1) == "7"
    assert Template.of("plain").filled("", 0, 0) == "plain"


@settings(deadline=None)
@given(st.integers(0, 10**5), st.integers(0, 63))
def test_arithmetic_is_that_of_python(index: int, nic: int) -> None:
    text = "(index-3)*2+nic%7//2-index//5"
    assert Template.of("{" + text + "}").filled("", index, nic) == str(eval(text, {"index": index, "nic": nic}))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        "{}",
        "{host}",
        "{nic!r}",
        "{node+1}",
        "{nic**2}",
        "{nic/2}",
        "{__import__('os')}",
        "{nic:x}",
        "{nic.real}",
        "{1e9}",
    ],
)
def test_what_is_no_template(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected \{node\}, \{index\}, \{nic\} or \{device\}"):
        Template.of(text)


def test_a_template_may_not_divide_by_nothing() -> None:
    with pytest.raises(ValueError, match="divides by 0"):
        Template.of("{index//nic}").filled("", 1, 0)


def test_the_node_in_the_name_of_a_host() -> None:
    pattern = Template.of("{node} mlx5_{nic+1}").finds_node(0)
    assert pattern is not None and (found := pattern.fullmatch("gpu 7 mlx5_1")) and found["node"] == "gpu 7"
    assert Template.of("{node}-{index}").finds_node(0) is None and Template.of("h{index}").finds_node(0) is None
