"""Where reports go: which format to which file, and files that are whole or not there."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from pauseproof.reports.styled import Line

STDOUT = "-"
FORMATS = ("text", "json")
_BY_SUFFIX = {".json": "json", ".txt": "text", ".log": "text"}


class Target(NamedTuple):
    """One report to write: its format, and its file or STDOUT."""

    format: str
    path: str


def targets(formats: Sequence[str], outputs: Sequence[str]) -> list[Target]:
    """Which report goes where. Raises click.UsageError.

    The first ``--output`` takes the first ``--format`` and so on. A format that is left over goes to stdout; an output that
    is left over has its format from its name.

    >>> targets(["json", "text"], ["a.json"])
    [Target(format='json', path='a.json'), Target(format='text', path='-')]
    """
    pairs = [Target(*pair) for pair in zip(formats, outputs, strict=False)]
    left = formats[len(outputs) :]
    pairs += [Target(format, STDOUT) for format in left] + [_by_name(path) for path in outputs[len(formats) :]]
    if sum(target.path == STDOUT for target in pairs) > 1:
        raise click.UsageError("only one report can go to stdout; give each other --format an --output of its own")
    refuse_same_file(*(target.path for target in pairs))
    return pairs or [Target("text", STDOUT)]


def refuse_same_file(*paths: str | None) -> None:
    """Raises click.UsageError where two of the files to write are one; those that are None are not written."""
    files = [path for path in paths if path is not None]
    if len({Path(path).resolve() for path in files}) < len(files):
        raise click.UsageError("two reports would go to the same file")


def _by_name(path: str) -> Target:
    if path == STDOUT:
        return Target("text", STDOUT)
    format = _BY_SUFFIX.get(Path(path).suffix)
    if format is None:
        raise click.UsageError(f"--output {path} needs a --format: {' or '.join(FORMATS)}")
    return Target(format, path)


def deliver(
    wanted: Sequence[Target], lines: "Callable[[], Iterable[Line]]", json_text: Callable[[], str], *, no_colour: bool
) -> None:
    """Make each report and put it to its place, files before stdout. Raises click.FileError."""
    from pauseproof.reports.styled import plain, show

    for target in sorted(wanted, key=lambda target: target.path == STDOUT):
        if target.format == "json":
            write(target.path, json_text().encode())
        elif target.path == STDOUT:
            show(lines(), colour=False if no_colour else None)
        else:
            write(target.path, plain(lines()).encode("utf-8", "backslashreplace"))


def write(path: str, content: bytes) -> None:
    """Write ``content`` to ``path``: all of it or nothing. Raises click.FileError."""
    try:
        if path == STDOUT:
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
        elif Path(path).exists() and not Path(path).is_file():
            Path(path).write_bytes(content)  # a pipe or a device cannot be replaced
        else:
            _replace(Path(path), content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.FileError(path, f"cannot be written: {error.strerror or error}") from error


def _replace(path: Path, content: bytes) -> None:
    import tempfile

    path = path.resolve()  # a symbolic link stays one
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        Path(beside).chmod(mode)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
