"""Dot source to svg, png and other formats: by Graphviz where it is installed, else by the ``graphviz-pure`` command."""

import shutil
import subprocess
import sys
from pathlib import Path

FORMATS = ("svg", "png", "pdf", "dot")
_ONLY_SYSTEM = frozenset({"pdf"})  # graphviz-pure 0.2 writes no pdf
TIMEOUT = 120.0


class CannotDraw(RuntimeError):
    """No program that draws this format is there, or it failed; the message says which and why."""


def render(source: str, engine: str, format: str) -> bytes:
    """``source`` laid out by ``engine`` (dot, neato, ...) as ``format``. Raises CannotDraw."""
    if format == "dot":
        return source.encode()
    if format not in FORMATS:
        raise CannotDraw(f"{format!r} is no format to draw; expected one of {', '.join(FORMATS)}")
    if shutil.which("dot"):
        return _by_system(source, engine, format)
    if format in _ONLY_SYSTEM:
        raise CannotDraw(f"{format} needs Graphviz (the `dot` command); svg and png work without it")
    return _by_pure(source, engine, format)


def _by_system(source: str, engine: str, format: str) -> bytes:
    import graphviz

    try:
        return bytes(graphviz.pipe(engine, format, source.encode(), quiet=True))
    except (graphviz.CalledProcessError, graphviz.ExecutableNotFound) as error:
        raise CannotDraw(f"`dot` failed: {error}") from error


def _by_pure(source: str, engine: str, format: str) -> bytes:
    command = [pure_executable(), f"-K{engine}", f"-T{format}"]
    try:
        done = subprocess.run(command, input=source.encode(), capture_output=True, timeout=TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotDraw(f"`graphviz-pure` failed: {error}") from error
    if done.returncode:
        raise CannotDraw(f"`graphviz-pure` failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def pure_executable() -> str:
    """The path of ``graphviz-pure``: beside this Python, as pip installs it, or on the PATH. Raises CannotDraw."""
    beside = shutil.which("graphviz-pure", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("graphviz-pure")
    if found is None:
        raise CannotDraw("neither Graphviz (`dot`) nor `graphviz-pure` is there; `pip install graphviz-pure`, or use -o x.dot")
    return found
