import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.problems import LONGEST_LINE, MOST, Problems, first_lines, numbered_lines, shown
from texts import source_of


def test_problems_are_told_in_the_order_of_lines_up_to_a_limit() -> None:
    problems = Problems("f")
    for line in range(MOST + 3, 0, -1):
        problems.add(line, "wrong")
    with pytest.raises(BadInput) as caught:
        problems.raise_any()
    told = list(map(str, caught.value.problems))
    assert told[:2] == ["f:1: wrong", "f:2: wrong"]
    assert told[MOST:] == ["f: and 3 more problems like these"]


def test_no_problem_no_refusal() -> None:
    Problems("f").raise_any()


def test_lines_are_numbered_and_a_cut_is_seen() -> None:
    problems = Problems("f")
    assert list(numbered_lines(source_of("a \r\n\nb"), problems)) == [(1, b"a"), (2, b"")]
    with pytest.raises(BadInput, match=r"^f:3: the file is cut off"):
        problems.raise_any()


def test_blanks_after_the_last_newline_are_no_cut() -> None:
    problems = Problems("f")
    assert list(numbered_lines(source_of("a\n  "), problems)) == [(1, b"a")]
    problems.raise_any()


def test_what_is_shown_is_printable_and_short() -> None:
    assert shown(b"\x00\xff") == '"��"'
    assert shown(b"x" * 61) == '"' + "x" * 57 + '..."'


def test_leading_blank_lines_do_not_count() -> None:
    assert first_lines(b"\r\n \n\n one\n two", 1) == [b"one"]


def test_a_line_without_an_end_is_looked_at_no_further() -> None:
    problems = Problems("f")
    assert list(numbered_lines(source_of("a\n" + "b" * (LONGEST_LINE + 1) + "\nc\n"), problems)) == [(1, b"a")]
    with pytest.raises(BadInput, match=r"^f:2: a line of more than 1048576 bytes"):
        problems.raise_any()
