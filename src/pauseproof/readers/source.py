"""One input file as bytes: mapped where it lies plain on disk, unpacked within a bound where it is gzip.

Readers never open files themselves. A :class:`Source` gives them ``data`` (bytes-like), the path as the user wrote it, and
the sha256 of the file as it lies on disk.
"""

import io
import mmap
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from pauseproof.fabric.places import BadInput, Place

GZIP_MAGIC = b"\x1f\x8b"
MAX_UNPACKED = 8 << 30
MAX_RATIO = 200  # text tables pack to about 1/15; deflate cannot go beyond 1/1032
_CHUNK = 1 << 22
_SMALL = 64 << 20  # below this an unpacked file is fine whatever its ratio


@dataclass(frozen=True)
class Source:
    """A file's content. ``raw`` is what lies on disk, ``data`` the text in it; slices of either are bytes."""

    path: str
    raw: bytes | mmap.mmap
    data: bytes | mmap.mmap

    @cached_property
    def sha256(self) -> str:
        """The digest of the file as it lies on disk."""
        import hashlib

        return hashlib.sha256(self.raw).hexdigest()

    @property
    def head(self) -> bytes:
        """The first 4096 bytes of the text, for sniffing."""
        return bytes(self.data[:4096])


_KEPT: ContextVar[dict[object, bytes] | None] = ContextVar("pipes that were read", default=None)


@contextmanager
def pipes_read_once() -> Iterator[None]:
    """Inside, what came out of stdin or a pipe is kept: a second look at it finds the same again."""
    before = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(before)


def open_source(path: str | Path) -> Source:
    """Read ``path``; ``-`` is stdin. Raises BadInput where it cannot be read or where gzip is broken or unbounded."""
    name = str(path)
    try:
        raw = _once("-", name, sys.stdin.buffer) if name == "-" else _on_disk(name)
    except BadInput:
        raise
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        raise BadInput.at(Place(name), f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    data = _unpack(name, raw) if raw[:2] == GZIP_MAGIC else raw
    if data is not raw and data[:2] == GZIP_MAGIC:
        raise BadInput.at(Place(name), "is gzip within gzip; expected text, or text in gzip: unpack it once")
    return Source(name, raw, data)


def _on_disk(name: str) -> bytes | mmap.mmap:
    if not name:
        raise BadInput.at(Place("(no name)"), "an empty path; expected a file, a folder, or - for stdin")
    if (came := _came_out(name)) is not None:
        return came  # a pipe that is opened again waits for another writer
    with Path(name).open("rb", buffering=0) as file:
        about = os.fstat(file.fileno())
        if stat.S_ISREG(about.st_mode):
            if not about.st_size:
                return _whole(name, file)  # files of /proc tell no size
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if stat.S_ISCHR(about.st_mode) and not file.isatty():
            raise BadInput.at(Place(name), "is a device; expected a file")
        return _once((about.st_dev, about.st_ino), name, file)


def _came_out(name: str) -> bytes | None:
    kept = _KEPT.get()
    if not kept:
        return None
    about = Path(name).stat()
    return kept.get((about.st_dev, about.st_ino))


def _once(key: object, name: str, file: io.RawIOBase | BinaryIO) -> bytes:
    """What comes out of a pipe, or came out of it before."""
    kept = _KEPT.get()
    if kept is None:
        return _whole(name, file)
    if key not in kept:
        kept[key] = _whole(name, file)
    return kept[key]


def _whole(name: str, file: io.RawIOBase | BinaryIO) -> bytes:
    """Everything that comes out of a pipe, within a bound."""
    parts, total = [], 0
    while part := file.read(_CHUNK):
        total += len(part)
        if total > MAX_UNPACKED:
            raise BadInput.at(Place(name), f"more than {MAX_UNPACKED >> 30} GiB; expected a dump")
        parts.append(part)
    return b"".join(parts)


def _unpack(name: str, raw: bytes | mmap.mmap) -> bytes:
    import gzip
    import zlib

    limit = min(MAX_UNPACKED, max(_SMALL, MAX_RATIO * len(raw)))
    parts, total = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            while part := file.read(_CHUNK):
                total += len(part)
                if total > limit:
                    raise BadInput.at(
                        Place(name), f"unpacks to more than {limit >> 20} MiB from {len(raw)} bytes; unpack it yourself"
                    )
                parts.append(part)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput.at(Place(name), f"is not a whole gzip file: {error}") from error
    return b"".join(parts)
