import pytest

from pauseproof.readers.far import matches, read
from small_files import FAR, MCFDBS
from texts import cuts_that_pass, refusal, source_of

GROUPS = "Switch 0x0b\nGroups Definition:\n1 0 - 1,2\nLFT Definition:\n"


def test_two_dialects_of_one_table() -> None:
    records = read(source_of(FAR))
    assert records.switch_guid.tolist() == [0xB0001, 0xB0002]
    assert records.block_line.tolist() == [2, 16]
    assert list(records.groups) == [{1: (1, 2, 4), 2: (3,)}, {0: (1, 2)}]
    assert list(records.rows) == [
        {7: (3, "Static", -1, 12), 8: (1, "Free", 1, 13), 9: (-1, "HBF", 2, 14)},
        {7: (1, "Static", -1, 25), 8: (2, "Bounded", 0, 26)},
    ]
    assert list(records.complete) == [True, True]


def test_the_last_table_is_whole_where_it_reaches_its_top() -> None:
    assert list(read(source_of(FAR.replace("top: 0x0008", "top: 0x0009"))).complete) == [True, False]


def test_the_last_table_is_whole_where_it_reaches_as_far_as_the_others() -> None:
    without_top = FAR.replace(", top: 0x0008", "")
    assert list(read(source_of(without_top)).complete) == [True, False]
    assert list(read(source_of(without_top + "0x0009 1 Static -\n")).complete) == [True, True]


def test_a_cut_is_refused_or_leaves_the_last_table_incomplete() -> None:
    passed = cuts_that_pass(read, FAR)
    assert len(passed) > 5
    assert not any(read(source_of(FAR[:length])).complete[-1] for length in passed if length < len(FAR) - 1)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("0x0007 3 Static", '5: "0x0007 3 Static" is not a row'),
        ("0x0007 3 Adaptive 1", '5: "Adaptive" is no state of a LID; expected one of Static, Free, Bounded, HBF'),
        ("0x0007 3 Free 2", "5: LID 0x0007 is Free in group 2, which is not defined"),
        ("0x0007 3 Free -", "5: LID 0x0007 is Free in group -1, which is not defined"),
        ("0xc000 3 Static -", "5: LID 0xc000 is out of range"),
        ("0x0007 256 Static -", "5: port 256 is too large"),
        ("0x0008 3 Static -", "6: the row for LID 0x0008 differs from the one in line 5"),
        ("PLFT_NUM: 1", "5: table 1 of this switch"),
        ("LFT Definition:", "5: a second table of this switch"),
        ("Switch 0x0c", "5: this switch has no 'LFT Definition:'"),
        ("Switch 0x0b\nLFT Definition:", "5: switch 0x000000000000000b also has a block in line 1"),
        ("Switch 0x0c\nhello", "6: \"hello\" is not understood; expected 'Groups Definition:' or 'LFT Definition:'"),
        ("Groups Definition:\n1 0 - 1,3\nLFT Definition:", "6: group 1, subgroup 0 has other ports above"),
        ("Groups Definition:\n3 0 - 1,255\nLFT Definition:", "6: port 255 is too large"),
        ("Groups Definition:\n3 0 -\nLFT Definition:", '6: "3 0 -" is not a group'),
    ],
)
def test_whatever_is_unexpected_is_refused_with_its_line(bad: str, said: str) -> None:
    problems = refusal(read, f"{GROUPS}{bad}\n0x0008 1 Free 1\n")
    assert any(problem.startswith(said) for problem in problems), problems


def test_no_switch_at_all() -> None:
    assert refusal(read, "File version: 1\n")[0].startswith("0: no switch was found")


def test_sniffing() -> None:
    assert matches(b"\n# comment\n" + FAR.encode())
    assert not any(matches(text.encode()) for text in (MCFDBS, ""))
