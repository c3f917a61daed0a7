"""Rows of ``Lanes.step``: what a turn does to each label, and which other lanes a packet waits for in its egress queue.

A turn's row depends on the side where packets come in, the profile of the port where they leave, the side at the other end of
its cable, the remap declared for the turn, and on what else may come to that port: packets of the other in-ports share its
queues. The combinations are few; each is worked out once.

Notation: ``r`` a row, ``k`` the index of a label, ``v`` that of a lane.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import LOSSY
from pauseproof.routing.class_hops import Label, Landing, Rewrite, Side, enter, land, leave
from pauseproof.routing.config_classes import TunnelMaps
from pauseproof.routing.port_classes import Profile


class Out(NamedTuple):
    """A port where packets leave, and the side at the other end of its cable."""

    profile: Profile
    receiver: Side


class Way(NamedTuple):
    """How packets come to a port where they leave: their side, and what is done to them."""

    side: Side
    rewrite: Rewrite | None = None
    tunnel: TunnelMaps | None = None

    def land(self, out: Out, label: Label) -> Landing:
        """Where a packet of this label sits next."""
        if self.tunnel is not None:
            return land(enter(self.side, out.profile, label, self.tunnel), out.receiver)
        return land(leave(self.side, out.profile, label, self.rewrite), out.receiver)


def missed(landing: Landing, out: Out) -> bool:
    """Does the pause of the lossless group where a packet sits next not stop the queue that it waits in?"""
    return landing.group >= 0 and landing.group not in out.receiver.profile.groups_that_stop(landing.queue, out.profile)


@dataclass
class Rows:
    """Numbers classes and rows as they come up. ``labels`` are all that may occur; a lane is a priority group, the one
    behind the last that of packets that are lossy where they sit.
    """

    labels: Sequence[Label]
    lanes: Sequence[int]
    classes: dict[tuple[int, int], int] = field(default_factory=dict)
    _rows: dict[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]], int] = field(default_factory=dict)

    def row(self, way: Way, out: Out, others: Iterable[Way]) -> int:
        """The row of packets that come one way and leave by ``out``, which ``others`` use too."""
        return self._numbered([way.land(out, label) for label in self.labels], out, _sharing(out, (way, *others), self.labels))

    def first_row(self, receiver: Side) -> int:
        """The row of packets that a host sends to this side: labels as they are, a queue for each priority."""
        landings = [land((label, -1), receiver) for label in self.labels]
        return self._numbered([one if one.label.inner < 0 else one._replace(group=-1) for one in landings], None, {})

    def _numbered(self, landings: list[Landing], out: Out | None, sharing: dict[int, set[int]]) -> int:
        step = tuple(self._class(landing) for landing in landings)
        coupled = tuple(self._waits(landing, out, sharing) for landing in landings)
        return self._rows.setdefault((step, coupled), len(self._rows))

    def _class(self, landing: Landing) -> int:
        if landing.label not in self.labels:
            return LOSSY
        lane = len(self.lanes) if landing.group < 0 else self.lanes.index(landing.group)
        pair = self.labels.index(landing.label), lane
        return self.classes.setdefault(pair, len(self.classes))

    def _waits(self, landing: Landing, out: Out | None, sharing: dict[int, set[int]]) -> tuple[int, ...]:
        if out is None:
            return ()
        groups = out.receiver.profile.groups_that_stop(landing.queue, out.profile) | sharing[landing.queue]
        return tuple(sorted(self.lanes.index(g) for g in groups - {landing.group} if g in self.lanes))

    @property
    def step(self) -> NDArray[np.int16]:
        """``Lanes.step``, [R, K]."""
        return np.array([step for step, _ in self._rows], np.int16).reshape(-1, len(self.labels))

    @property
    def coupled(self) -> tuple[tuple[tuple[int, ...], ...], ...] | None:
        """``Lanes.coupled``, None where nothing is."""
        waits = tuple(coupled for _, coupled in self._rows)
        return waits if any(any(row) for row in waits) else None


def _sharing(out: Out, ways: Iterable[Way], labels: Iterable[Label]) -> dict[int, set[int]]:
    """Queue -> the groups in which its packets sit next; packets that are lossy where they come in stand in it too."""
    groups: dict[int, set[int]] = {}
    for way in set(ways):
        for label in labels:
            landing = way.land(out, label)
            here = groups.setdefault(landing.queue, set())
            if landing.group >= 0:
                here.add(landing.group)
    return groups
