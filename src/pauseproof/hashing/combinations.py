"""How many combinations of members the hashes of a chain can pick together, for what two hosts send each other.

Addresses are fixed; *free* are the 14 low bits of the UDP source port, unless all traffic has one, the bits of the destination
queue pair where some hash looks at it, and those of IPv6's flow label, of which the source port is made then
(:mod:`pauseproof.hashing.source_port`). Ports and queue pairs are taken to be free of each other; the port by which
a packet enters each switch is taken to be the same for all.

*Rank*: where every hash is linear and picks by bits of its value, the combinations are 2 to the rank of the rows of all of
them, whatever the addresses and other fields that stay the same (Zhang et al., "Hashing linearity enables relative path
control", ATC 2021). *Enumeration*: else every setting of the free bits is tried. *Sample*: where these are too many, DRAWS of
them are; a combination that was not seen then has, with 99 % confidence, a share of at most ``ln(100) / DRAWS``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from pauseproof.hashing.chains import Met
from pauseproof.hashing.gf2 import Bit, form, free_bits, rank
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.source_port import sport_of_flow_label

Method = Literal["rank", "enumeration", "sample", "unknown"]
PORT_BASE, PORT_MASK = 0xC000, 0x3FFF
QP_MASK, LABEL_MASK = (1 << 24) - 1, (1 << 20) - 1
MOST_FREE = 16  # bits that are enumerated
DRAWS = 1 << 18
UNSEEN_SHARE = math.log(100) / DRAWS


class Pair(NamedTuple):
    """The addresses of a sender and a receiver, as (high, low) halves of one family."""

    family: int
    source: tuple[int, int]
    destination: tuple[int, int]


@dataclass(frozen=True)
class Count:
    """``combinations`` of ``possible`` ones, over ``free`` bits; 0 of them where some hash is not known.

    ``least`` and ``most`` over the pairs of hosts tried: by rank all are alike, else ``combinations`` is of the first pair.
    """

    combinations: int
    possible: int
    method: Method
    free: int
    least: int
    most: int

    @property
    def best(self) -> int:
        """What as many free bits could reach at best."""
        return min(self.possible, 1 << self.free)


@dataclass(frozen=True)
class Freedom:
    """Which header bits are free: of the source port unless it is ``sport``, of the queue pair, of the flow label."""

    sport: int = -1
    qp: bool = False
    label: bool = False

    @classmethod
    def of(cls, met: Sequence[Met], sport: int, family: int) -> "Freedom":
        """What the hashes of a chain look at."""
        fields = {field for one in met if (function := one.stage.setting.function()) for field in function.fields}
        return cls(sport, "dest-qp" in fields, family == 6 and "flow-label" in fields)

    @property
    def bits(self) -> tuple[Bit, ...]:
        """The free bits."""
        masks = {"qp": QP_MASK if self.qp else 0}
        if self.label:
            masks["flow_label"] = LABEL_MASK
        elif self.sport < 0:
            masks["sport"] = PORT_MASK
        return free_bits(masks)

    def headers(self, pair: Pair, values: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> Headers:
        """A packet for each value of all free bits, the first bit lowest."""
        columns: dict[str, np.ndarray[tuple[int], np.dtype[np.uint64]]] = {}
        for j, (column, bit) in enumerate(self.bits):
            here = (values >> np.uint64(j) & np.uint64(1)) << np.uint64(bit)
            columns[column] = columns[column] | here if column in columns else here
        label = columns.get("flow_label", np.zeros(1, np.uint64))
        sport = columns.get("sport", np.zeros(1, np.uint64)) + np.uint64(PORT_BASE)
        if self.sport >= 0:
            sport = np.full(1, self.sport, np.uint64)
        elif self.label:
            sport = sport_of_flow_label(label)
        return roce(pair.family, pair.source, pair.destination, sport, qp=columns.get("qp", 0), flow_label=label)


def count(met: Sequence[Met], pairs: Sequence[Pair], sport: int = -1) -> Count:
    """The combinations of a chain, for at least one pair of hosts; ``sport`` is the one source port of all traffic, or -1."""
    possible = math.prod(one.size for one in met)
    freedom = Freedom.of(met, sport, pairs[0].family)
    hashed = [one for one in met if one.stage.setting.kind == "hash"]
    split = possible // math.prod(one.size for one in hashed)  # what is spread by packet or load misses nothing
    free = len(freedom.bits)
    if all(one.linear for one in hashed):
        found = split << rank(_rows(hashed, freedom, pairs[0]))
        return Count(found, possible, "rank", free, found, found)
    if not all(one.known for one in hashed):
        return Count(0, possible, "unknown", free, 0, 0)
    every = [split * _tried(hashed, freedom, pair) for pair in pairs]
    method: Method = "enumeration" if free <= MOST_FREE else "sample"
    return Count(every[0], possible, method, free, min(every), max(every))


def _rows(met: Sequence[Met], freedom: Freedom, pair: Pair) -> list[int]:
    """The rows of all indices, over the free bits."""
    out: list[int] = []
    if not freedom.bits:
        return out
    fixed = freedom.headers(pair, np.zeros(1, np.uint64))
    over = (*freedom.bits, *(free_bits({"sport": PORT_MASK}) if freedom.label and freedom.sport < 0 else ()))
    for one in met:
        rows = one.stage.rows
        assert rows is not None
        found = form(rows.function, fixed, over)
        out += [_substituted(found.rows[bit], freedom) for bit in rows.bits]
    return out


def _substituted(row: int, freedom: Freedom) -> int:
    """Bit ``i`` of the source port is bits ``i`` and ``i + 14`` of the flow label, where it is made of that."""
    n = len(freedom.bits)
    first = next((j for j, (column, _) in enumerate(freedom.bits) if column == "flow_label"), 0)
    own, port = row & (1 << n) - 1, row >> n
    return own ^ port << first ^ (port & 0x3F) << (first + 14)


def _tried(met: Sequence[Met], freedom: Freedom, pair: Pair) -> int:
    """How many combinations turn up."""
    n = len(freedom.bits)
    if n <= MOST_FREE:
        values = np.arange(1 << n, dtype=np.uint64)
    else:
        values = np.random.Generator(np.random.PCG64(0)).integers(0, 1 << n, DRAWS, np.uint64)
    h = freedom.headers(pair, values)
    together = np.zeros(1, np.uint64)
    for one in met:
        together = together * np.uint64(one.size) + np.asarray(one.stage.member(h), np.uint64)
    return len(np.unique(together))


def with_setting(met: Sequence[Met], old: Met, **changes: object) -> tuple[Met, ...]:
    """The chain with the setting of ``old`` changed wherever it is met."""
    setting = replace(old.stage.setting, **changes)  # type: ignore[arg-type]
    new = old._replace(stage=replace(old.stage, setting=setting))
    return tuple(new if one == old else one for one in met)
