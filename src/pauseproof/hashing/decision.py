"""One decision: which of the links of a group a packet takes at a switch. First a next hop, then a cable of it.

Notation: ``h`` headers as the packet enters the switch (``in_port`` is the port's number there), ``m`` a next hop of the group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.algebra import Truth, Word, equals
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.linear import fast
from pauseproof.hashing.selection import Selection
from pauseproof.hashing.setting import Setting
from pauseproof.routing.groups import Grouping, Links

Indices = NDArray[np.intp]


class Rows(NamedTuple):
    """Where everything is linear: the bits of the function's value that are the index, lowest first."""

    function: HashFunction
    bits: tuple[int, ...]


@dataclass(frozen=True)
class Stage:
    """One hash and what it picks from: ``ecmp`` a next hop, ``lag`` a cable."""

    name: str
    setting: Setting
    selection: Selection

    @property
    def known(self) -> bool:
        """Is it known which member a packet takes?"""
        return self.setting.function() is not None and not self.setting.open

    def member(self, h: Headers) -> Word:
        """The index of the member for each packet. Raises ValueError where the setting is not known."""
        function = self.setting.function()
        if function is None or not self.known:
            raise ValueError(f"the {self.name} hash is not known: {self.setting.words}")
        return self.selection.member(fast(function, h.family).value(h))

    @property
    def rows(self) -> Rows | None:
        """The index as bits of a linear value, None where it is none."""
        function, bits = self.setting.function(), self.selection.index_bits
        return None if function is None or not function.linear or bits is None else Rows(function, bits)


@dataclass(frozen=True)
class Decision:
    """What ``switch`` does with packets that it may send out by ``group`` (links, ascending).

    ``ecmp`` is None where there is one next hop; ``lags`` [next hops] are None where that is a single cable.
    """

    switch: int
    group: Links
    grouping: Grouping
    ecmp: Stage | None
    lags: tuple[Stage | None, ...]

    @property
    def stages(self) -> tuple[Stage, ...]:
        """All hashes that are taken here: that of next hops, then those of bundles."""
        return tuple(stage for stage in (self.ecmp, *self.lags) if stage is not None)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Why it is not known which link a packet takes; empty where it is."""
        unclear = (f"order: {self.grouping.unclear}",) if self.grouping.unclear and len(self.group) > 1 else ()
        kinds = (f"{stage.name}: {stage.setting.words}" for stage in self.stages if stage.setting.kind != "hash")
        keys = (f"{stage.name} {why}" for stage in self.stages for why in stage.setting.open)
        return tuple(dict.fromkeys((*unclear, *kinds, *keys)))

    @property
    def known(self) -> bool:
        """Is it known which link a packet takes?"""
        return not self.unknown

    @property
    def by_packet_or_load(self) -> bool:
        """Does some stage spread what is one flow, so that load takes it as split ideally?"""
        return any(stage.setting.kind != "hash" for stage in self.stages)

    def links(self, h: Headers) -> NDArray[np.int32]:
        """The link that each packet takes, [P]. Raises ValueError where that is not known."""
        self._refuse_unknown()
        n = len(h)
        chosen = np.zeros(n, np.intp) if self.ecmp is None else _indices(self.ecmp.member(h), n)
        out = np.empty(n, np.int32)
        for m, (member, stage) in enumerate(zip(self.grouping.members, self.lags, strict=True)):
            here = np.flatnonzero(chosen == m)
            if stage is None:
                out[here] = member.links[0]
            elif len(here):
                cables = np.array(member.links, np.int32)
                out[here] = cables[_indices(stage.member(h.rows(here)), len(here))]
        return out

    def term(self, h: Headers, link: int) -> Truth:
        """That a packet with these z3 terms as headers takes ``link``. Raises ValueError where that is not known."""
        import z3

        self._refuse_unknown()
        return z3.simplify(z3.Or(*self._ways(h, link)))

    def _ways(self, h: Headers, link: int) -> Iterator[Truth]:
        """The conditions under which it takes the link, one for each next hop that the link is a cable of."""
        import z3

        chosen = None if self.ecmp is None else self.ecmp.member(h)
        for m, (member, stage) in enumerate(zip(self.grouping.members, self.lags, strict=True)):
            if link in member.links:
                hop = z3.BoolVal(True) if chosen is None else equals(chosen, m)
                yield hop if stage is None else z3.And(hop, equals(stage.member(h), member.links.index(link)))

    def _refuse_unknown(self) -> None:
        if self.unknown:
            raise ValueError(f"which link packets take is not known: {'; '.join(self.unknown)}")

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """[links of the group]: the part of all flows that each link has, if hash values are spread evenly, or by load."""
        weights = [member.weight for member in self.grouping.members]
        even = tuple(weight / sum(weights) for weight in weights)
        of_hop = even if self.ecmp is None or self.ecmp.setting.kind != "hash" else self.ecmp.selection.shares
        part = dict.fromkeys(self.group, 0.0)
        for share, member, stage in zip(of_hop, self.grouping.members, self.lags, strict=True):
            hashed = stage is not None and stage.setting.kind == "hash"
            inside = stage.selection.shares if stage and hashed else [1 / len(member.links)] * len(member.links)
            for link, fraction in zip(member.links, inside, strict=True):
                part[link] += share * fraction
        return tuple(part.values())

    @property
    def rows(self) -> tuple[Rows, ...] | None:
        """The bits that decide, stage by stage, where they are bits of linear values and every bundle is as wide; else None.

        What hidden fields add is left out: a constant, which the rank of the rows does not depend on.
        """
        stages = ([self.ecmp] if self.ecmp else []) + ([self.lags[0]] if self.lags and self.lags[0] else [])
        if self.grouping.unclear or any(lag != self.lags[0] for lag in self.lags):
            return None
        found = [stage.rows for stage in stages]
        return None if None in found else tuple(rows for rows in found if rows is not None)


def _indices(member: Word, n: int) -> Indices:
    return np.broadcast_to(member, (n,)).astype(np.intp)
