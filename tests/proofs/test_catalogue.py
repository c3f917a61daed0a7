"""Every topology's certificate is in the project, is what would be written today, and holds by the checker."""

import gzip
from pathlib import Path

import pytest

import pauseproof
from pauseproof.deadlock.certificate_file import read_certificate
from pauseproof.deadlock.check import check
from proofs import catalogue

ENTRIES = catalogue.entries()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_certificate_of_an_entry_is_there_is_up_to_date_and_holds(
    entry: catalogue.Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(catalogue.ROOT)
    certificate, file = catalogue.certificate_of(entry), catalogue.file_of(entry)
    if certificate is None:
        assert not file.exists()
        return
    assert file.exists(), f"there is no certificate of {entry.name}: {catalogue.AGAIN}"
    content = gzip.decompress(file.read_bytes())
    stale = content != catalogue.content_of(certificate)
    assert not stale, f"{file.name} is not what is proved of {entry.name} today: {catalogue.AGAIN}"
    assert str(catalogue.ROOT) not in content.decode()
    assert file.read_bytes()[4:8] == bytes(4), "a time in the gzip header would change with every writing"
    assert check(read_certificate(str(file)), pauseproof.load(*entry.paths)) == certificate["verdict"]


def test_there_is_no_certificate_of_nothing() -> None:
    assert {file.name for file in catalogue.FOLDER.iterdir()} <= {catalogue.file_of(entry).name for entry in ENTRIES}
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES) > 30


def test_what_is_written_is_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program that writes them: a stale one is replaced, one of no entry goes, the others are not touched."""
    monkeypatch.chdir(catalogue.ROOT)
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    some = ENTRIES[:3]
    monkeypatch.setattr(catalogue, "entries", lambda: some)
    catalogue.write_all()
    first = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert sorted(first) == sorted(catalogue.file_of(entry).name for entry in some)
    (tmp_path / "gone.json.gz").write_bytes(b"")
    catalogue.file_of(some[0]).write_bytes(gzip.compress(b"{}"))
    catalogue.write_all()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == first
