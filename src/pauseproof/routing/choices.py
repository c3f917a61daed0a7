"""Choices by value, for tables whose values are port numbers: the layout that InfiniBand tables share.

Values 0..radix are ports (0 is the switch itself), ``radix + 1`` is "no row", ``radix + 2`` "not read"; values above are
sets of ports, numbered per switch as they are met. Choice ids 0..3 have no members; ``4 + l`` is the lone link ``l``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.tables import ChoiceKind

_FIXED = (ChoiceKind.DROP, ChoiceKind.UNKNOWN, ChoiceKind.LOCAL, ChoiceKind.DEAD_PORT)
_FIRST_LINK = len(_FIXED)


@dataclass
class PortChoices:
    """Collects the choices of one fabric; ``no_row`` and ``not_read`` are values of every switch."""

    fabric: Fabric
    _sets: list[dict[tuple[ChoiceKind, tuple[int, ...]], int]] = field(init=False)

    def __post_init__(self) -> None:
        self._sets = [{} for _ in range(self.fabric.n_switches)]

    @property
    def no_row(self) -> int:
        """The value for a drop."""
        return self.fabric.max_radix + 1

    @property
    def not_read(self) -> int:
        """The value for an unknown row."""
        return self.fabric.max_radix + 2

    def value_of(self, switch: int, kind: ChoiceKind, ports: Iterable[int]) -> int:
        """The value of a set of ports at ``switch``; cables that are not there are left out."""
        links = [int(self.fabric.out_link[switch, p]) for p in sorted(set(ports)) if p > 0]
        key = kind, tuple(sorted(link for link in links if link >= 0))
        return self.not_read + 1 + self._sets[switch].setdefault(key, len(self._sets[switch]))

    def arrays(self) -> tuple[Ids, NDArray[np.uint8], NDArray[np.int64], Ids]:
        """(choice_of [S, V], kind, ptr, link) of :class:`ChoiceTable`."""
        fabric = self.fabric
        sets = sorted({key for local in self._sets for key in local})
        ids = {key: _FIRST_LINK + fabric.n_links + i for i, key in enumerate(sets)}
        choice_of = np.zeros((fabric.n_switches, self.not_read + 1 + max(map(len, self._sets), default=0)), np.int32)
        cabled = fabric.out_link >= 0
        choice_of[:, : self.no_row] = np.where(cabled, _FIRST_LINK + fabric.out_link, _FIXED.index(ChoiceKind.DEAD_PORT))
        choice_of[:, 0] = _FIXED.index(ChoiceKind.LOCAL)
        choice_of[:, self.not_read] = _FIXED.index(ChoiceKind.UNKNOWN)
        for s, local in enumerate(self._sets):
            for key, i in local.items():
                choice_of[s, self.not_read + 1 + i] = ids[key]
        kind = np.concatenate((_FIXED, np.full(fabric.n_links, ChoiceKind.HASHED), [k for k, _ in sets])).astype(np.uint8)
        count = np.concatenate((np.zeros(_FIRST_LINK), np.ones(fabric.n_links), [len(links) for _, links in sets]))
        link = np.concatenate((np.arange(fabric.n_links), *(links for _, links in sets))).astype(np.int32)
        return choice_of, kind, np.concatenate(([0], np.cumsum(count))).astype(np.int64), link


def narrowest(largest: int) -> type[np.uint8] | type[np.uint16]:
    """The smallest type for values up to ``largest``."""
    return np.uint8 if largest <= np.iinfo(np.uint8).max else np.uint16
