"""One hop of one packet through the classes: where it lands, and what it waits for in the egress queue.

A *label* is what the packet carries: its DSCP, and in a tunnel that of the packet inside. A *side* is where a packet arrives:
a port's profile, and the tunnel that ends at its device. Arriving there gives the packet a traffic class and a priority group
(its lane); leaving gives it a new label and a queue. A switch at which a tunnel ends unpacks what arrives in a tunnel.

Notation: ``k`` a label, ``t`` a traffic class, ``g`` a group, ``q`` a queue.
"""

from dataclasses import dataclass
from typing import NamedTuple

from pauseproof.routing.config_classes import TunnelMaps
from pauseproof.routing.port_classes import DSCPS, Profile


class Label(NamedTuple):
    """The DSCP that switches see, and the DSCP inside where the packet is in a tunnel (-1 where it is not)."""

    dscp: int
    inner: int = -1

    def __str__(self) -> str:
        return str(self.dscp) if self.inner < 0 else f"{self.dscp} (inside {self.inner})"


@dataclass(frozen=True)
class Side:
    """Where packets arrive: the classes of the port, and the tunnel that its device unpacks."""

    profile: Profile
    tunnel: TunnelMaps | None = None

    def traffic_class(self, label: Label) -> int:
        """The traffic class of a packet that arrives, which picks its queue later on."""
        of_dscp = (self.tunnel.tc_of_dscp if self.tunnel and label.inner >= 0 else ()) or self.profile.tc_of_dscp
        return of_dscp[self.unpacked(label).dscp]

    def group(self, label: Label) -> int:
        """The priority group that it sits in: by the outer DSCP, unless the tunnel has maps of its own."""
        tunnel = self.tunnel if label.inner >= 0 else None
        if tunnel is None or not (tunnel.tc_of_dscp or tunnel.group_of_tc):
            return self.profile.group_of_tc[self.profile.tc_of_dscp[label.dscp]]
        return (tunnel.group_of_tc or self.profile.group_of_tc)[self.traffic_class(label)]

    @property
    def lossless_dscps(self) -> tuple[int, ...]:
        """The DSCPs that are lossless here outside tunnels."""
        return tuple(d for d in range(DSCPS) if self.profile.lossless(self.group(Label(d))))

    def unpacked(self, label: Label) -> Label:
        """The label without the tunnel."""
        if self.tunnel is None or label.inner < 0:
            return label
        return Label(label.inner if self.tunnel.pipe else label.dscp)


class Rewrite(NamedTuple):
    """A declared remap: ``dscp`` [64] is the new DSCP by the old; ``old_queue`` where the old one still picks the queue."""

    dscp: tuple[int, ...]
    old_queue: bool


def leave(side: Side, out: Profile, label: Label, rewrite: Rewrite | None) -> tuple[Label, int]:
    """The label and the queue of a packet that came in at ``side`` and leaves by a port with the profile ``out``."""
    t, label = side.traffic_class(label), side.unpacked(label)
    if rewrite is not None and rewrite.dscp[label.dscp] != label.dscp:
        label = label._replace(dscp=rewrite.dscp[label.dscp])
        t = t if rewrite.old_queue else side.profile.tc_of_dscp[label.dscp]
    elif out.dscp_of_tc[t] >= 0:
        label = label._replace(dscp=out.dscp_of_tc[t])
    return label, out.queue_of_tc[t]


def enter(side: Side, out: Profile, label: Label, tunnel: TunnelMaps) -> tuple[Label, int]:
    """The label and the queue of a packet that is put into a tunnel and leaves by a port with the profile ``out``.

    Where the tunnel has no map, the DSCP is copied to the outside and the traffic class picks the queue as ever.
    """
    t = side.traffic_class(label)
    inside = side.unpacked(label).dscp
    if tunnel.outer_of_dscp:
        outer = tunnel.outer_of_dscp[inside]
        return Label(outer, inside), out.queue_of_tc[side.profile.tc_of_dscp[outer]]
    outer = tunnel.outer_of_tc[t] if tunnel.outer_of_tc else inside
    return Label(outer, inside), (tunnel.queue_of_tc or out.queue_of_tc)[t]


class Landing(NamedTuple):
    """Where a packet sits next: the label, the group (-1 where it is lossy), and the queue that it waits in before."""

    label: Label
    group: int
    queue: int


def land(left: tuple[Label, int], receiver: Side) -> Landing:
    """Arrive at the other end of the cable."""
    label, queue = left
    group = receiver.group(label)
    return Landing(label, group if receiver.profile.lossless(group) else -1, queue)
