"""Running whole programs for a benchmark: seconds, peak memory, and what they printed."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

PAUSEPROOF = (sys.executable, "-m", "pauseproof")


class Run(NamedTuple):
    """One run. ``status`` is the exit code, negative where a signal ended the program; ``megabytes`` is its peak memory.

    ``seconds`` passed on the clock; ``busy`` seconds it computed, which on a machine with other work is the steadier number.
    """

    seconds: float
    busy: float
    megabytes: float
    output: str
    status: int


def run(command: Sequence[str | Path]) -> Run:
    """Run a program alone; its own peak memory is what the system counted for that process."""
    with tempfile.TemporaryFile() as said:
        begun = time.perf_counter()
        process = subprocess.Popen([*map(str, command)], stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        output = said.read().decode("utf-8", "replace")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output, process.returncode)


def interleaved(commands: Sequence[Sequence[str | Path]], times: int) -> list[list[Run]]:
    """Run each command so many times, in turns, so that a busy moment of the machine hits all of them."""
    runs: list[list[Run]] = [[] for _ in commands]
    for _ in range(times):
        for of_command, command in zip(runs, commands, strict=True):
            of_command.append(run(command))
    return runs


def median(runs: Sequence[Run], what: Callable[[Run], float]) -> float:
    """The median of a measure."""
    return statistics.median(map(what, runs))


def verdict(one: Run) -> str:
    """The first word of what pauseproof printed. Raises RuntimeError where it did not come to a verdict."""
    word = one.output.split(maxsplit=1)[0] if one.output.strip() else ""
    if one.status not in (0, 1, 3) or word not in ("DEADLOCK_FREE", "DEADLOCK_POSSIBLE", "UNDECIDED"):
        raise RuntimeError(f"pauseproof left with {one.status} and said: {one.output[:300]}")
    return word
