"""What readers state about a cabling, before anything is checked: nodes and cables as plain arrays, each with its place."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import Place

F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Nodes:
    """What is cabled: arrays [n] in any order. ``guid`` 0 where a dialect has none; then names are the identities.

    ``kind`` holds NodeKind values, ``ports`` is the radix. ``place`` [n, 2] is (index into the files, line).
    ``port_names[i]`` names ports 0.. of node ``i``; where it is absent, ports are numbers.
    """

    name: Sequence[str]
    guid: NDArray[np.uint64]
    kind: NDArray[np.uint8]
    ports: Ids
    place: Ids | None = None
    port_names: dict[int, Sequence[str]] = field(default_factory=dict)

    def words(self, i: int) -> str:
        """The node as the user knows it."""
        guid = int(self.guid[i])
        return f"{self.name[i]!r} (0x{guid:016x})" if guid else repr(self.name[i])

    def port_words(self, i: int, port: int) -> str:
        """The port as the user knows it."""
        names = self.port_names.get(i)
        return f"port {names[port] if names is not None and 0 <= port < len(names) else port} of {self.words(i)}"


@dataclass(frozen=True)
class Cables:
    """Statements of cables: arrays [c]; ``a`` and ``b`` are indices into the nodes. ``speed`` Gb/s, ``length`` metres."""

    a: Ids
    a_port: Ids
    b: Ids
    b_port: Ids
    place: Ids | None = None
    speed: F32 | None = None
    length: F32 | None = None

    def __len__(self) -> int:
        return len(self.a)

    def far_end(self, c: int, node: int, port: int) -> tuple[int, int]:
        """The end of statement ``c`` that is not this port."""
        a, b = (int(self.a[c]), int(self.a_port[c])), (int(self.b[c]), int(self.b_port[c]))
        return b if a == (node, port) else a


def place_of(files: Sequence[str], place: Ids | None, index: int) -> Place:
    """The place of one statement; the first file where none was kept."""
    if place is None or not files or place[index, 0] < 0:
        return Place(files[0] if files else "-")
    return Place(files[int(place[index, 0])], int(place[index, 1]))
