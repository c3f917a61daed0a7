import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from pauseproof.cli.main import INTERRUPTED, READER_GONE, main, one_clear_answer
from pauseproof.fabric.places import BadInput, Place, Problem

Run = Callable[..., Any]


def code_of(error: BaseException) -> object:
    with pytest.raises(SystemExit) as left, one_clear_answer():
        raise error
    return left.value.code


def test_bad_input_is_one_line_for_each_problem(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem(Place("a.lst", 3, 7), "port 9 is beyond the radix 4"), Problem(Place("b"), "is \x1b[31mempty")]
    assert code_of(BadInput(problems)) == 2
    assert capsys.readouterr().err == "a.lst:3:7: port 9 is beyond the radix 4\nb: is \\x1b[31mempty\n"


def test_a_bug_is_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAUSEPROOF_DEBUG", raising=False)
    assert code_of(ZeroDivisionError("division by zero")) == 2
    said = capsys.readouterr().err
    assert "this is a bug in pauseproof" in said and "ZeroDivisionError: division by zero" in said
    assert said.count("\n") == 1 and "Traceback" not in said


def test_a_bug_shows_where_when_asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAUSEPROOF_DEBUG", "1")
    assert code_of(ZeroDivisionError("division by zero")) == 2
    assert "Traceback" in capsys.readouterr().err


def test_too_little_memory_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(MemoryError()) == 2
    assert "more memory than there is" in capsys.readouterr().err


def test_interrupted() -> None:
    assert code_of(KeyboardInterrupt()) == code_of(click.Abort()) == INTERRUPTED


def test_wrong_usage_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["verify"])
    assert left.value.code == 2
    assert "Missing argument 'PATH...'" in capsys.readouterr().err


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "pauseproof", "explain"], stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (READER_GONE, "")


def test_help_answers_at_once() -> None:
    def once() -> float:
        """Seconds of computing: time on the clock is also that of whoever else is busy."""
        before = os.times()
        subprocess.run([sys.executable, "-m", "pauseproof", "--help"], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert 0 < min(once() for _ in range(3)) < 0.3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_stdout_is_no_bug() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pauseproof", "explain"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (2, "stdout: No space left on device; the answer is not complete\n")


def test_a_closed_stdout_leaves_the_exit_code() -> None:
    words = [sys.executable, "-m", "pauseproof", "explain", "PP101"]
    done = subprocess.run(words, preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_message_quotes_no_megabytes_and_steers_no_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(f"nodes: 2\nsplit: {'x' * 100_000}\ncollectives: [{{kind: all-gather, bytes: 1}}]\n")
    done = run("load", "topologies/leaf-spine.yaml", "--job", "job.yaml")
    assert done.code == 2 and len(done.err) < 2500 and done.err.startswith("job.yaml:2:8: split 'xxx")
    done = run("path", "\x1b[2Jh", "leaf0-h0", "topologies/leaf-spine.yaml")
    assert done.code == 2 and "\\x1b[2Jh" in done.err and "\x1b" not in done.err


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "1e9", "x", ""])
def test_a_budget_is_a_number_of_seconds(run: Run, seconds: str) -> None:
    done = run("repair", "topologies/ring5.yaml", "--budget", seconds)
    assert (done.code == 2 and "from 0.1 to 1,000,000" in done.err) or "within 0.1 to 1,000,000 seconds" in done.err
