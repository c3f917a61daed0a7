"""Devices of a network played by namespaces of this machine, for tests.

All of them live in one cage: mount, network and process namespaces whose first process reads from a pipe that only the test
holds. When the test lets go of the pipe, or dies in whatever way, the kernel ends every process in the cage and with the last
of them the devices and their links; no packet can leave, and two cages never see each other. See namespaces(7), unshare(1).
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("ip", "unshare", "nsenter")
PATHS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin", "/usr/lib/frr"))
ENV = {**os.environ, "PATH": PATHS}
WITHIN = 5.0  # seconds for one command
_NAMES = "/var/run/netns"  # where ip keeps the names of namespaces
_READY = "ready\n"
_FIRST = f"""\
for folder in {_NAMES} "$@"; do mkdir -p "$folder" && mount -t tmpfs tmpfs "$folder" || exit; done
ip link add type veth && echo {_READY.strip()} && exec cat"""


class NotAllowed(OSError):
    """This user, container or kernel may not make namespaces."""


class Cage:
    """Where the devices are: ``device`` below is the name of a network namespace in it."""

    def __init__(self, process: int) -> None:
        pids = f"--pid=/proc/{process}/ns/pid_for_children"
        self._enter = ("nsenter", "--target", str(process), "--mount", "--net", pids, "--")
        self.started: list[subprocess.Popen[bytes]] = []

    def run(self, *command: str, text: str = "") -> str:
        """What the command prints. Raises CalledProcessError with what it complained of, and TimeoutExpired."""
        done = subprocess.run(
            (*self._enter, *command), env=ENV, input=text, capture_output=True, text=True, timeout=WITHIN, check=False
        )
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, (*command, text), done.stdout, done.stderr)
        return done.stdout

    def ip(self, lines: Iterable[str], device: str = "") -> None:
        """Many ip commands, each without the word ``ip``."""
        self.run("ip", *(("-n", device) if device else ()), "-batch", "-", text="".join(f"{line}\n" for line in lines))

    def start(self, device: str, command: Sequence[str], log: Path) -> None:
        """A program on a device; it is ended with the cage."""
        inside = (*self._enter, "ip", "netns", "exec", device, *command)
        with log.open("wb") as out:
            process = subprocess.Popen(inside, env=ENV, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.started.append(process)


def missing(*programs: str) -> list[str]:
    """Those of the programs, and of what namespaces need, that are not installed."""
    return [name for name in (*NEEDED, *programs) if shutil.which(name, path=PATHS) is None]


@contextmanager
def cage(*private: str) -> Iterator[Cage]:
    """A cage without devices, with ``private`` folders that are empty and its own. Raises NotAllowed where it cannot be."""
    first = ("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", _FIRST, "sh", *private)
    pipe = subprocess.PIPE
    process = subprocess.Popen(first, env=ENV, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    made = Cage(process.pid)
    try:
        assert process.stdout and process.stderr
        if process.stdout.readline() != _READY:
            raise NotAllowed(process.stderr.read().strip())
        yield made
    finally:
        _open(process)
        for program in made.started:
            program.wait(WITHIN)


def _open(process: subprocess.Popen[str]) -> None:
    """Let go of the pipe; where that is not enough, killing the process ends its child as well."""
    try:
        process.communicate(timeout=WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate(timeout=WITHIN)
