import os
import stat
from pathlib import Path

import click
import pytest

from pauseproof.cli.output import Target, targets, write


@pytest.mark.parametrize(
    ("formats", "outputs", "expected"),
    [
        ([], [], [("text", "-")]),
        (["json"], [], [("json", "-")]),
        (["json"], ["a"], [("json", "a")]),
        (["json", "text"], ["a", "b"], [("json", "a"), ("text", "b")]),
        (["json", "text"], ["a"], [("json", "a"), ("text", "-")]),
        ([], ["a.json", "b.txt"], [("json", "a.json"), ("text", "b.txt")]),
        (["text"], ["-", "b.json"], [("text", "-"), ("json", "b.json")]),
    ],
)
def test_which_report_goes_where(formats: list[str], outputs: list[str], expected: list[tuple[str, str]]) -> None:
    assert targets(formats, outputs) == [Target(*pair) for pair in expected]


@pytest.mark.parametrize(
    ("formats", "outputs", "said"),
    [
        (["json", "text"], [], "only one report can go to stdout"),
        (["json", "text"], ["a", "a"], "same file"),
        ([], ["report"], "needs a --format: text or json"),
    ],
)
def test_what_makes_no_sense_is_refused(formats: list[str], outputs: list[str], said: str) -> None:
    with pytest.raises(click.UsageError, match=said):
        targets(formats, outputs)


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old and longer")
    path.chmod(0o640)
    write(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    write(str(tmp_path / "a"), b"x")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_when_it_fails_the_old_file_stays_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(click.FileError, match="No space left"):
        write(str(path), b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write(str(tmp_path / "link"), b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


def test_a_pipe_is_written_to_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(str(pipe), b"new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(click.FileError, match="cannot be written: No such file or directory"):
        write(str(tmp_path / "none" / "a"), b"x")


def test_one_file_by_two_names_is_refused() -> None:
    with pytest.raises(click.UsageError, match="same file"):
        targets(["json", "text"], ["a", "./a"])
