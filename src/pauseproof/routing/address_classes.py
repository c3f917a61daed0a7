"""Longest-prefix match, and the classes of addresses that every table treats alike.

Take every prefix that any table names. The *class* of a prefix is its addresses that no longer one of them covers: no table
tells two addresses of a class apart, and the match of a table for the class is its longest prefix among the class's own prefix
and those that contain it. Prefixes contain each other or are disjoint, so they form a forest: in the order (family, address,
length) each prefix is followed by all that it contains.

Notation: ``n`` a node of the forest (a prefix), ``r`` a row of some table.
"""

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
ADDRESS_BITS = {4: 32, 6: 128}
NO_ROW = -1


class PrefixRows(NamedTuple):
    """Prefixes as four arrays [n], as in :class:`pauseproof.readers.roce_records.RouteRecords`."""

    family: U8
    high: U64
    low: U64
    length: U8

    @classmethod
    def of(cls, prefixes: "list[IPv4Network | IPv6Network]") -> "PrefixRows":
        """From the standard library's networks."""
        address = [int(prefix.network_address) for prefix in prefixes]
        return cls(
            np.array([prefix.version for prefix in prefixes], np.uint8),
            np.array([a >> 64 for a in address], np.uint64),
            np.array([a & 0xFFFFFFFFFFFFFFFF for a in address], np.uint64),
            np.array([prefix.prefixlen for prefix in prefixes], np.uint8),
        )

    @classmethod
    def join(cls, parts: "list[PrefixRows]") -> "PrefixRows":
        """All rows of all parts, in their order."""
        if not parts:
            return cls.of([])
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def __len__(self) -> int:
        return len(self.family)

    def masked(self) -> "PrefixRows":
        """The same prefixes with the bits behind their length cleared."""
        free = np.where(self.family == 4, 32, 128).astype(np.int64) - self.length
        low = self.low & ~_ones(np.minimum(free, 64))
        return PrefixRows(self.family, self.high & ~_ones(np.clip(free - 64, 0, 64)), low, self.length)

    def take(self, rows: NDArray[np.generic]) -> "PrefixRows":
        """Some of the rows."""
        return PrefixRows(*(column[rows] for column in self))


def _ones(count: I64) -> U64:
    """So many low bits set, 0 to 64."""
    shifted = np.uint64(1) << np.minimum(count, 63).astype(np.uint64)
    out: U64 = np.where(count >= 64, np.uint64(0xFFFFFFFFFFFFFFFF), shifted - np.uint64(1))
    return out


@dataclass(frozen=True)
class PrefixForest:
    """Distinct prefixes [N] in the order (family, address, length); ``parent`` [N] is the next shorter one that contains
    each, -1 where none does; the prefixes inside ``n`` are ``n+1 .. end[n]-1``.

    >>> from ipaddress import ip_network
    >>> rows = PrefixRows.of([ip_network("10.0.1.0/24"), ip_network("10.0.0.0/8"), ip_network("10.0.1.0/24")])
    >>> forest, node = prefix_forest(rows)
    >>> forest.name(1), forest.parent.tolist(), node.tolist()
    ('10.0.1.0/24', [-1, 0], [1, 0, 1])
    """

    prefix: PrefixRows
    parent: I64
    end: I64

    def __len__(self) -> int:
        return len(self.parent)

    def network(self, n: int) -> "IPv4Network | IPv6Network":
        """The prefix of a node, as the standard library's value."""
        family, address = int(self.prefix.family[n]), self._address(n)
        length = int(self.prefix.length[n])
        return IPv4Network((address, length)) if family == 4 else IPv6Network((address, length))

    def address(self, n: int) -> tuple[int, int]:
        """The first address of a prefix, with its family."""
        return int(self.prefix.family[n]), self._address(n)

    def name(self, n: int) -> str:
        """The prefix of a node, as users write it."""
        return str(self.network(n))

    def longest_match(self, row_of: I64, nodes: I64) -> I64:
        """The row that one table's longest match names for the class of each node, NO_ROW where nothing matches.

        ``row_of`` [N] is the table: its row for each prefix that it has, NO_ROW for the others.
        """
        at = np.array(nodes, np.int64)
        found = row_of[at]
        searching = np.flatnonzero(found == NO_ROW)
        while len(searching):
            at[searching] = self.parent[at[searching]]
            searching = searching[at[searching] >= 0]
            found[searching] = row_of[at[searching]]
            searching = searching[found[searching] == NO_ROW]
        return found

    def is_lone(self, n: int) -> bool:
        """Whether the prefix is one address."""
        return int(self.prefix.length[n]) == ADDRESS_BITS[int(self.prefix.family[n])]

    def is_empty(self, n: int) -> bool:
        """Whether longer prefixes cover every address of the prefix, so that its class has none."""
        return self._left[n] == 0

    @cached_property
    def _left(self) -> list[int]:
        """Addresses in the class of each prefix."""
        bits = np.where(self.prefix.family == 4, 32, 128)
        size = [1 << int(free) for free in bits - self.prefix.length.astype(np.int64)]
        left = list(size)
        for n, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                left[parent] -= size[n]
        return left

    def _address(self, n: int) -> int:
        return int(self.prefix.high[n]) << 64 | int(self.prefix.low[n])

    def node_of(self, family: int, address: int) -> int:
        """The node whose class an address lies in, -1 where no prefix contains it."""
        order = self._order
        low, high = 0, len(order)
        key = (family, address, ADDRESS_BITS[family])
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if order[middle] <= key else (low, middle)
        n = low - 1
        while n >= 0 and not (order[n][0] == family and self._contains(n, address)):
            n = int(self.parent[n])
        return n

    def _contains(self, n: int, address: int) -> bool:
        free = ADDRESS_BITS[int(self.prefix.family[n])] - int(self.prefix.length[n])
        return address >> free == self._address(n) >> free

    @cached_property
    def _order(self) -> list[tuple[int, int, int]]:
        columns = (column.tolist() for column in self.prefix)
        return [(family, high << 64 | low, length) for family, high, low, length in zip(*columns, strict=True)]


def prefix_forest(rows: PrefixRows) -> tuple[PrefixForest, I64]:
    """The forest of all distinct prefixes of ``rows``, and the node of each row."""
    rows = rows.masked()
    order = np.lexsort((rows.length, rows.low, rows.high, rows.family))
    sorted_rows = rows.take(order)
    new = np.ones(len(order), np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in sorted_rows], axis=0)
    node = np.empty(len(order), np.int64)
    node[order] = np.cumsum(new) - 1
    prefix = sorted_rows.take(np.flatnonzero(new))
    parent, end = _nesting(prefix)
    return PrefixForest(prefix, parent, end), node


def _nesting(prefix: PrefixRows) -> tuple[I64, I64]:
    """Parents and ends of prefixes in order: a stack of those that are still open."""
    columns = (column.tolist() for column in prefix)
    parent = np.full(len(prefix), -1, np.int64)
    end = np.full(len(prefix), len(prefix), np.int64)
    open_ones: list[tuple[int, int, int]] = []  # (node, family, last address)
    for n, (family, high, low, length) in enumerate(zip(*columns, strict=True)):
        address = high << 64 | low
        while open_ones and (open_ones[-1][1] != family or open_ones[-1][2] < address):
            end[open_ones.pop()[0]] = n
        if open_ones:
            parent[n] = open_ones[-1][0]
        last = address + (1 << ADDRESS_BITS[family] - length) - 1
        open_ones.append((n, family, last))
    return parent, end
