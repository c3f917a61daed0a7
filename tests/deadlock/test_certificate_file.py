"""Certificates as files: the same bytes for the same certificate; what is none is refused, with its place."""

import gzip
import json
from pathlib import Path

import pytest

from pauseproof.deadlock.certificate_file import certificate_bytes, read_certificate
from pauseproof.fabric.places import BadInput

CERTIFICATE = {"format": "pauseproof certificate", "ranks": {"s0/1/0": 1, "é\ud800/\n/0": 2}}


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(certificate_bytes(CERTIFICATE, name))
    assert read_certificate(str(tmp_path / name)) == CERTIFICATE


def test_the_bytes_are_the_same_each_time_and_packed_where_the_name_says_so() -> None:
    packed = certificate_bytes(CERTIFICATE, "a.json.gz")
    assert packed == certificate_bytes(CERTIFICATE, "b.gz")
    assert packed[4:8] == bytes(4)  # no time
    assert gzip.decompress(packed) == certificate_bytes(CERTIFICATE, "-")
    assert certificate_bytes(CERTIFICATE, "a").isascii()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "1:1: not a whole JSON file"),
        (b'{"a": 1,\n"b": ', "2:6: not a whole JSON file"),
        (b"[1]", "not a certificate; expected what"),
        (b'"ranks"', "not a certificate; expected what"),
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice in one object"),
        (b'{"ranks": {"s": 1, "s": 1}}', "the key 's' stands twice"),
        (b"\xff\xfe{}", "1:1: not a whole JSON file"),
        (b"\xc3\x28", "not a certificate: 'utf-8' codec can't decode"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not a certificate"),
        (b"[" * 100_000, "not a certificate"),
        (b'{"a":' * 100_000, "not a certificate"),
        (gzip.compress(json.dumps(CERTIFICATE).encode(), mtime=0)[:-9], "gz"),
        (gzip.compress(json.dumps(CERTIFICATE).encode()[:-9], mtime=0), "not a whole JSON file"),
    ],
)
def test_what_is_none_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(BadInput, match=said) as refused:
        read_certificate(str(file))
    assert str(refused.value).startswith(str(file))


def test_no_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_certificate(str(tmp_path / "none.json"))


@pytest.mark.parametrize("name", ["cut.json", "cut.json.gz"])
def test_cut_anywhere_it_is_refused(name: str, tmp_path: Path) -> None:
    whole, file = certificate_bytes(CERTIFICATE, name), tmp_path / name
    for length in range(len(whole) - 1):  # the last byte is a line feed, or the length's highest
        file.write_bytes(whole[:length])
        with pytest.raises(BadInput):
            read_certificate(str(file))
