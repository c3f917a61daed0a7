"""Flows: what a job puts on the network, one row a queue pair and phase, in blocks that fit into memory.

A *flow* is what one queue pair (QP) sends to one other in one *phase* (a part of the job in which everything is on the network
at once). All its packets have one header, so that a hashed fabric sends them one way. :class:`Pairs` says in a few numbers
what would be millions of flows: every host of one list sends to every host of another, as all-to-all does.

Notation: ``F`` flows, ``A`` senders, ``B`` receivers, ``q`` QPs a connection. Hosts are those of :class:`Fabric`. A QP number
has 24 bits and belongs to one host; ``sqpn`` is that of the sender, ``dqpn`` that of the receiver (BTH destination QP).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
MOST_ROWS = 1 << 20  # of one block: about 40 MB
UNKNOWN = -1

SourcePort: TypeAlias = Callable[[I64, I64], I64]  # the UDP source port of packets from this QP to that one


@dataclass(frozen=True)
class Flows:
    """Flows as columns, each [F]. ``sport`` is -1 where not known (and on InfiniBand), ``sqpn`` and ``dqpn`` -1 where none is.

    ``bytes`` is payload in that phase. The columns may be read-only views of one value.
    """

    src: Ids
    dst: Ids
    bytes: F64
    sport: Ids
    sqpn: Ids
    dqpn: Ids
    phase: Ids

    def __len__(self) -> int:
        return len(self.src)

    @classmethod
    def of(
        cls,
        src: Sequence[int] | Ids,
        dst: Sequence[int] | Ids,
        bytes: Sequence[float] | F64 | float,
        *,
        sport: Sequence[int] | I64 | Ids | int = UNKNOWN,
        sqpn: Sequence[int] | I64 | Ids | int = UNKNOWN,
        dqpn: Sequence[int] | I64 | Ids | int = UNKNOWN,
        phase: Sequence[int] | Ids | int = 0,
    ) -> "Flows":
        """Columns of one length; a single value stands for a column of it.

        >>> Flows.of([0, 1], [1, 0], 8.0).bytes.tolist()
        [8.0, 8.0]
        """
        n = (len(src),)
        ids = [np.broadcast_to(np.asarray(column, np.int32), n) for column in (src, dst, sport, sqpn, dqpn, phase)]
        return cls(ids[0], ids[1], np.broadcast_to(np.asarray(bytes, np.float64), n), *ids[2:])

    def __getitem__(self, rows: slice | NDArray[np.bool_] | NDArray[np.intp]) -> "Flows":
        """Some of the rows."""
        return Flows(*(getattr(self, column.name)[rows] for column in fields(self)))

    def returned(self, bytes: F64 | float) -> "Flows":
        """What comes back on the same QPs (acknowledgements, clear-to-send), from the same source port."""
        return Flows.of(self.dst, self.src, bytes, sport=self.sport, sqpn=self.dqpn, dqpn=self.sqpn, phase=self.phase)


@dataclass(frozen=True)
class Pairs:
    """Every sender ``i`` to every receiver ``j`` of another node, over ``q`` QPs each.

    ``src`` [A] and ``dst`` [B] are hosts; ``src_node`` [A] and ``dst_node`` [B] number the machines they are in, and no flow
    joins two NICs of one machine. ``bytes`` [q]: what each QP of a connection carries. The QPs of connection (i, j) are
    ``first_sqpn[i] + stride * dst_slot[j] + step * k`` at the sender and ``first_dqpn[j] + stride * src_slot[i] + step * k`` at
    the receiver, ``0 <= k < q``.
    """

    src: Ids
    dst: Ids
    src_node: Ids
    dst_node: Ids
    bytes: F64
    first_sqpn: I64
    first_dqpn: I64
    src_slot: I64
    dst_slot: I64
    stride: int
    phase: int = 0
    source_port: SourcePort | None = None  # None: not known
    step: int = 1

    def among(self, src: NDArray[np.bool_], dst: NDArray[np.bool_]) -> "Pairs":
        """Those of them whose sender and receiver are marked, by host."""
        i, j = src[self.src], dst[self.dst]
        return replace(
            self,
            **{name: getattr(self, name)[i] for name in ("src", "src_node", "first_sqpn", "src_slot")},
            **{name: getattr(self, name)[j] for name in ("dst", "dst_node", "first_dqpn", "dst_slot")},
        )

    def with_one_qp(self) -> "Pairs":
        """The same bytes, each connection's on one QP of unknown port: for whoever does not look at headers."""
        return replace(self, bytes=self.bytes.sum(keepdims=True), source_port=None)

    @property
    def n_connections(self) -> int:
        """How many (i, j) there are."""
        n = int(max(self.src_node.max(initial=-1), self.dst_node.max(initial=-1))) + 1
        same = np.bincount(self.src_node, minlength=n) @ np.bincount(self.dst_node, minlength=n)
        return len(self.src) * len(self.dst) - int(same)

    def __len__(self) -> int:
        return self.n_connections * len(self.bytes)

    def rows(self, first: int, last: int) -> Flows:
        """The flows of senders ``first <= i < last``, in the order of (i, j, k)."""
        i, j = np.nonzero(self.src_node[first:last, None] != self.dst_node[None, :])
        i += first
        q = len(self.bytes)
        qp = np.arange(q) * self.step
        sqpn = ((self.first_sqpn[i] + self.stride * self.dst_slot[j])[:, None] + qp).ravel()
        dqpn = ((self.first_dqpn[j] + self.stride * self.src_slot[i])[:, None] + qp).ravel()
        sport = UNKNOWN if self.source_port is None else self.source_port(sqpn, dqpn)
        uniform = bool((self.bytes == self.bytes[:1]).all())
        bytes = self.bytes[0] if uniform and q else np.tile(self.bytes, len(i))
        src, dst = np.repeat(self.src[i], q), np.repeat(self.dst[j], q)
        return Flows.of(src, dst, bytes, sport=sport, sqpn=sqpn, dqpn=dqpn, phase=self.phase)

    def returned(self, bytes: F64) -> "Pairs":
        """What comes back on the same QPs, from the same source ports."""
        return Pairs(
            *(self.dst, self.src, self.dst_node, self.src_node, bytes, self.first_dqpn, self.first_sqpn),
            *(self.dst_slot, self.src_slot, self.stride, self.phase, self.source_port, self.step),
        )

    def blocks(self, most: int = MOST_ROWS) -> Iterator[Flows]:
        """All flows, at most ``most`` rows at a time (one sender's where those are more)."""
        step = max(1, most // max(1, len(self.dst) * len(self.bytes)))
        for first in range(0, len(self.src), step):
            if len(block := self.rows(first, min(first + step, len(self.src)))):
                yield block


Traffic: TypeAlias = Flows | Pairs


def joined(parts: Sequence[Flows]) -> Flows:
    """The rows of several, one after the other; of none, no rows."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Flows.of([], [], 0.0)
    return Flows(*(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Flows)))


def gathered(blocks: Iterable[Flows], most: int = MOST_ROWS) -> Iterator[Flows]:
    """The same rows in fewer blocks, none longer than ``most`` but those that were.

    >>> [len(block) for block in gathered([Flows.of([0], [1], 1.0)] * 5, 2)]
    [2, 2, 1]
    """
    waiting: list[Flows] = []
    rows = 0
    for block in blocks:
        if waiting and rows + len(block) > most:
            yield joined(waiting)
            waiting, rows = [], 0
        waiting.append(block)
        rows += len(block)
    if rows:
        yield joined(waiting)


def blocks_of(traffic: Iterable[Traffic], most: int = MOST_ROWS) -> Iterator[Flows]:
    """Everything as flows, at most ``most`` rows at a time.

    >>> [len(block) for block in blocks_of([Flows.of([0, 1, 2], [1, 2, 0], 1.0)], 2)]
    [2, 1]
    """
    for part in traffic:
        if isinstance(part, Pairs):
            yield from part.blocks(most)
        else:
            yield from (part[first : first + most] for first in range(0, len(part), most))
