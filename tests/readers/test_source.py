"""Files, pipes and standard input as bytes."""

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pauseproof.readers.source import open_source, pipes_read_once


def test_an_empty_file_takes_no_memory(tmp_path: Path) -> None:
    """Room for the largest file that may come was once asked for."""
    (tmp_path / "empty").touch()
    text = (
        "import resource, sys; from pauseproof.readers.source import open_source;"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); assert open_source(sys.argv[1]).data == b''"
    )
    subprocess.run([sys.executable, "-c", text, str(tmp_path / "empty")], check=True)


def test_files_of_proc_tell_no_size() -> None:
    assert bytes(open_source("/proc/self/status").data).startswith(b"Name:")


def test_a_pipe_can_be_looked_at_again(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"hello",))
    writer.start()
    with pipes_read_once():
        assert [open_source(tmp_path / "pipe").data for _ in range(2)] == [b"hello"] * 2
    writer.join()


def test_standard_input_can_be_looked_at_again_inside_a_command_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hello")))
    with pipes_read_once():
        assert [open_source("-").data for _ in range(2)] == [b"hello"] * 2
    assert open_source("-").data == b""
