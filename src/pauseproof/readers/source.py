"""One input file as bytes: mapped where it lies plain on disk, unpacked within a bound where it is gzip.

Readers never open files themselves. A :class:`Source` gives them ``data`` (bytes-like), the path as the user wrote it, and
the sha256 of the file as it lies on disk.
"""

import io
import mmap
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

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


def open_source(path: str | Path) -> Source:
    """Read ``path``; ``-`` is stdin. Raises BadInput where it cannot be read or where gzip is broken or unbounded."""
    name = str(path)
    raw: bytes | mmap.mmap
    try:
        if name == "-":
            raw = sys.stdin.buffer.read()
        else:
            with Path(path).open("rb") as file:
                raw = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if _size(file) else b""
    except OSError as error:
        raise BadInput.at(Place(name), f"cannot be read: {error.strerror or error}") from error
    except ValueError:  # not mappable: a pipe or a device
        raw = Path(path).read_bytes()
    return Source(name, raw, _unpack(name, raw) if raw[:2] == GZIP_MAGIC else raw)


def _size(file: io.BufferedReader) -> int:
    return file.seek(0, io.SEEK_END)


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
