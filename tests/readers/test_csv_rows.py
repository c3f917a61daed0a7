from pauseproof.readers.csv_rows import csv_rows, header_of
from pauseproof.readers.problems import Problems
from texts import source_of


def told(text: str | bytes) -> tuple[list[tuple[int, dict[str, str]]], list[tuple[int, str]]]:
    problems = Problems("in")
    return list(csv_rows(source_of(text), problems)), sorted(problems._found)


def test_rows_with_their_lines() -> None:
    text = '\ufeff# by hand\n\nDevice , Next Hop\nleaf1, 10.0.0.1 \n\n# more\n"a,b",\n'
    rows, problems = told(text)
    assert rows == [(4, {"device": "leaf1", "next_hop": "10.0.0.1"}), (7, {"device": "a,b", "next_hop": ""})]
    assert not problems
    assert header_of(text.encode()) == ("device", "next_hop")


def test_everything_wrong_is_told() -> None:
    rows, problems = told(b"a,b,a\n1,2,3\n1,2\n\xff,2,3\n1,2,3")
    assert [line for line, _ in rows] == [2, 4, 5]
    assert [line for line, _ in problems] == [1, 3, 4, 5]
    said = " ".join(message for _, message in problems)
    assert all(words in said for words in ("'a' is there twice", "2 columns; expected 3", "is not UTF-8", "is cut off"))


def test_no_header() -> None:
    assert header_of(b"") == () and header_of(b"# only\n\n") == ()
    assert told("") == ([], [])
