import mmap
from pathlib import Path

import numpy as np
import pytest

from pauseproof.readers.lft_lines import BAD, hex_pairs, hundreds, pair, pieces, two_digits
from pauseproof.readers.source import Source, open_source


def test_the_lookups_know_exactly_the_digits() -> None:
    for text in ("00", "09", "aF", "Fa", "ff", "FF"):
        assert hex_pairs(1)[pair(text)] == int(text, 16) and hex_pairs(256)[pair(text)] == int(text, 16) * 256
    assert np.count_nonzero(hex_pairs(1) < BAD) == 22 * 22
    assert two_digits()[pair("73")] == 73 and np.count_nonzero(two_digits() < BAD) == 100
    assert hundreds()[pair(" 2")] == 200 and np.count_nonzero(hundreds() < BAD) == 10


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_pieces_are_the_whole_lines_in_order(size: int) -> None:
    data = b"a\n\nbcd efg\nxyz\n\n0123456789\nno end"
    found = list(pieces(Source("x", data, data), size=size))
    assert [piece.text(i) for piece in found for i in range(len(piece.start))] == data.split(b"\n")[:-1]
    assert b"".join(piece.data.tobytes() for piece in found) == data[: -len("no end")]
    assert found[-1].line + len(found[-1].start) == 7


def test_the_front_of_a_line_near_the_end_is_not_read_beyond_it() -> None:
    (piece,) = pieces(Source("x", b"", b"abcd\nab\n"))
    assert piece.pairs(4).tolist() == [[pair("ab"), pair("cd")], [0, 0]]
    assert piece.pairs(10).tolist() == [[0] * 5, [0] * 5]


def test_carriage_returns_belong_to_line_ends() -> None:
    (piece,) = pieces(Source("x", b"", b"ab\r\n\r\ncd\n"))
    assert [piece.text(i) for i in range(3)] == [b"ab", b"", b"cd"]


def test_a_mapped_file_is_read_and_its_pages_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pauseproof.readers.lft_lines._RELEASE", mmap.PAGESIZE)
    path = tmp_path / "lines"
    path.write_bytes(b"0123456789abcde\n" * 5000)
    source = open_source(path)
    assert isinstance(source.data, mmap.mmap)
    lines = [piece.text(i) for piece in pieces(source, size=3000) for i in range(len(piece.start))]
    assert lines == [b"0123456789abcde"] * 5000
