"""Runs a command as the user would, in a copy of the catalogue."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pauseproof.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


class Done(NamedTuple):
    code: object
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    shutil.copytree(ROOT / "topologies", tmp_path / "topologies")
    monkeypatch.chdir(tmp_path)

    def once(*words: str) -> Done:
        with pytest.raises(SystemExit) as left:
            main(words)
        return Done(left.value.code, *capsys.readouterr())

    return once
