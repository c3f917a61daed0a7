"""What a drawing of a loop shows: the loop, and one hop around it, folded so that a switch of 64 ports stays readable.

Input: a finding with a loop, and the fabric it was found in. Output: nodes and lines by number, with no word about layout.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pauseproof.fabric.model import Fabric, Link, NodeKind
from pauseproof.fabric.tiers import switch_tiers
from pauseproof.findings.report import Finding, LoopHop
from pauseproof.reports.words import count

NodeRole = Literal["loop", "switches", "hosts"]
HOST_TIER = 0


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A switch of the loop, or a group of ``members`` neighbours under one name. Hosts have tier 0."""

    name: str
    role: NodeRole
    tier: int
    members: int = 1


@dataclass(frozen=True, slots=True)
class PictureHop:
    """One buffer of the loop as an arrow between nodes (indices into ``nodes``)."""

    src: int
    dst: int
    src_port: str
    dst_port: str
    lane: str


@dataclass(frozen=True, slots=True)
class PictureLine:
    """Cables beside the loop: ``cables`` of them between two nodes, no direction."""

    a: int
    b: int
    cables: int


@dataclass(frozen=True, slots=True)
class LoopPicture:
    """A loop with one hop of context. ``lane_word`` is VL or priority."""

    title: str
    lane_word: str
    nodes: tuple[PictureNode, ...]
    hops: tuple[PictureHop, ...]
    context: tuple[PictureLine, ...]

    @property
    def loop_nodes(self) -> int:
        """Nodes ``0 .. loop_nodes-1`` lie on the loop, in the order in which it visits them."""
        return sum(node.role == "loop" for node in self.nodes)


def loop_picture(finding: Finding, fabric: Fabric) -> LoopPicture:
    """The picture of ``finding.loop`` in ``fabric``. Raises ValueError where the finding has no loop."""
    if not finding.loop:
        raise ValueError(f"{finding.rule} {finding.slug} has no loop to draw")
    around = _Surroundings(fabric, finding.loop)
    groups = around.groups()
    place = {device: i for i, device in enumerate(around.devices)}
    hops = tuple(PictureHop(place[h.from_id], place[h.device_id], h.from_port, h.port, h.lane) for h in finding.loop)
    nodes = [*around.loop_nodes(), *(around.group_node(*key, members) for key, members in groups.items())]
    lines = [*around.chords(), *around.group_lines(groups)]
    title = f"{finding.rule} {finding.slug}: {count(len(hops), 'buffer')} of {fabric.name}"
    return LoopPicture(title, "VL" if fabric.kind == "infiniband" else "priority", tuple(nodes), hops, tuple(lines))


_Group = tuple[NodeRole, int, tuple[int, ...]]  # what they are, their tier, which places of the loop they touch


@dataclass(frozen=True)
class _Surroundings:
    """What lies one hop around a loop. A *place* is an index into ``devices``, the loop's devices in order of visit."""

    fabric: Fabric
    loop: tuple[LoopHop, ...]

    @cached_property
    def devices(self) -> list[str]:
        return list(dict.fromkeys(device for hop in self.loop for device in (hop.from_id, hop.device_id)))

    @cached_property
    def tiers(self) -> list[int]:
        ends = self.fabric.n_nodes - self.fabric.n_switches
        return [*switch_tiers(self.fabric).tolist(), *[HOST_TIER] * ends]

    @cached_property
    def place(self) -> dict[int, int]:
        """Node -> place, for the nodes of the loop."""
        node_of = {self.fabric.identity(n): n for n in range(self.fabric.n_nodes)}
        return {node_of[device]: i for i, device in enumerate(self.devices) if device in node_of}

    def loop_nodes(self) -> Iterator[PictureNode]:
        names = {hop.from_id: hop.from_device for hop in self.loop} | {hop.device_id: hop.device for hop in self.loop}
        tier_at = {place: self.tiers[node] for node, place in self.place.items()}
        for i, device in enumerate(self.devices):
            yield PictureNode(names[device], "loop", tier_at.get(i, HOST_TIER))

    def _links(self) -> Iterator[Link]:
        """The links that leave the switches of the loop."""
        for node in self.place:
            if node < self.fabric.n_switches:
                yield from (self.fabric.link(link) for link in self.fabric.out_link[node].tolist() if link >= 0)

    @cached_property
    def _touches(self) -> dict[int, Counter[int]]:
        """Neighbour -> place -> number of cables between them."""
        touches: dict[int, Counter[int]] = defaultdict(Counter)
        for link in self._links():
            if link.dst not in self.place:
                touches[link.dst][self.place[link.src]] += 1
        return touches

    def chords(self) -> Iterator[PictureLine]:
        """Cables between switches of the loop that the loop does not use, in either direction."""
        used = {(hop.from_id, hop.from_port) for hop in self.loop} | {(hop.device_id, hop.port) for hop in self.loop}
        cables: Counter[tuple[int, int]] = Counter()
        for link in self._links():
            at = self.fabric.identity(link.src), self.fabric.port_name(link.src, link.src_port)
            if link.dst in self.place and link.src < link.dst and at not in used:
                a, b = sorted((self.place[link.src], self.place[link.dst]))
                cables[a, b] += 1
        return (PictureLine(a, b, number) for (a, b), number in sorted(cables.items()))

    def groups(self) -> dict[_Group, list[int]]:
        """Neighbours that are the same kind of thing and touch the same places, in a fixed order."""
        groups: dict[_Group, list[int]] = defaultdict(list)
        for neighbour in sorted(self._touches):
            role: NodeRole = "switches" if neighbour < self.fabric.n_switches else "hosts"
            groups[role, self.tiers[neighbour], tuple(sorted(self._touches[neighbour]))].append(neighbour)
        return {key: groups[key] for key in sorted(groups, key=lambda key: (key[2], key[0], key[1]))}

    def group_lines(self, groups: dict[_Group, list[int]]) -> Iterator[PictureLine]:
        for number, ((_, _, touched), members) in enumerate(groups.items(), len(self.devices)):
            for at in touched:
                yield PictureLine(at, number, sum(self._touches[member][at] for member in members))

    def group_node(self, role: NodeRole, tier: int, touched: tuple[int, ...], members: list[int]) -> PictureNode:
        if len(members) == 1:
            return PictureNode(self.fabric.node_name[members[0]], role, tier)
        hosts = sum(self.fabric.node_kind[member] == NodeKind.HOST for member in members)
        words = ("switch", "switches") if role == "switches" else ("host", "") if hosts else ("end node", "")
        return PictureNode(count(len(members), *words), role, tier, len(members))
