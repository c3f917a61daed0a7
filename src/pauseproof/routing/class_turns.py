"""Every turn of a fabric, by the few combinations of classes that its ports have.

Sides and outs are numbered as they come up; a port whose classes are not known, or that has no cable, has NOT_KNOWN.

Notation: ``s`` a switch, ``i``, ``o`` its in- and out-ports, ``W`` the largest port number + 1.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import BadInput, Place
from pauseproof.routing.class_hops import Label, Rewrite, Side
from pauseproof.routing.class_rows import Out, Rows, Way
from pauseproof.routing.config_classes import TunnelMaps
from pauseproof.routing.fabric_classes import FabricClasses

MOST_TURNS = 1 << 27
NOT_KNOWN = -1
Numbered = tuple[int, int]  # the number of a side, and that of a remap or -1


class SwitchPorts(NamedTuple):
    """The ports of one switch: the numbers of their sides and outs, [radix+1], and the remap of each turn, -1 for none.

    ``remapped[o]`` tells whether any turn to ``o`` has one.
    """

    side: Ids
    out: Ids
    remap: Ids
    remapped: list[bool]


class Turns:
    """The sides and outs of every port. Raises BadInput where the fabric has too many turns for a table of them."""

    def __init__(self, classes: FabricClasses) -> None:
        self.classes, self.fabric = classes, classes.fabric
        width = self.fabric.max_radix + 1
        if self.fabric.n_switches * width * width > MOST_TURNS:
            place = Place(self.fabric.files[0] if self.fabric.files else self.fabric.name)
            raise BadInput.at(place, f"classes at more than {MOST_TURNS} turns are too many")
        self._side_number, self._out_number = dict[Side, int](), dict[Out, int]()
        self.sides, self.outs = list[Side](), list[Out]()
        self._ways: dict[tuple[int, int], list[Numbered]] = {}
        self.side_of_port = [list(map(self._numbered, classes.sides(s))) for s in range(self.fabric.n_switches)]
        self.ports = [self._ports(s) for s in range(self.fabric.n_switches)]

    def _numbered(self, side: Side | None) -> int:
        if side is None:
            return NOT_KNOWN
        number = self._side_number.setdefault(side, len(self.sides))
        self.sides += [side] * (number == len(self.sides))
        return number

    def _ports(self, s: int) -> SwitchPorts:
        side = self.side_of_port[s]
        out = np.full(len(side), NOT_KNOWN, np.int32)
        for port, link in self._cabled(s):
            receiver = self.receiver(link)
            if NOT_KNOWN not in (side[port], receiver):
                one = Out(self.sides[side[port]].profile, self.sides[receiver])
                number = self._out_number.setdefault(one, len(self.outs))
                self.outs += [one] * (number == len(self.outs))
                out[port] = number
        remap = np.full((len(side), len(side)), -1, np.int32)
        for (i, o), number in self.classes.remaps(s).items():
            remap[i, o] = number
        return SwitchPorts(np.array(side, np.int32), out, remap, np.any(remap >= 0, axis=0).tolist())

    def _cabled(self, s: int) -> Iterator[tuple[int, int]]:
        """The ports with a cable, and the links that leave by them."""
        links = self.fabric.out_link[s]
        return ((port, int(links[port])) for port in np.flatnonzero(links >= 0).tolist())

    def receiver(self, link: int) -> int:
        """The side at the end of a link. A host classes packets as the switch port does that it is cabled to."""
        node, port = int(self.fabric.link_dst[link]), int(self.fabric.link_dst_port[link])
        if node < self.fabric.n_switches:
            return self.side_of_port[node][port]
        node, port = int(self.fabric.link_src[link]), int(self.fabric.link_src_port[link])
        side = self.side_of_port[node][port] if node < self.fabric.n_switches else NOT_KNOWN
        return NOT_KNOWN if side == NOT_KNOWN else self._numbered(Side(self.sides[side].profile))

    @cached_property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The declared remaps."""
        return tuple(map(self.classes.rewrite, range(len(self.classes.declared.remaps))))

    @cached_property
    def host_receivers(self) -> list[int]:
        """The number of the side that each host is cabled to, [H]."""
        return [self.receiver(int(link)) for link in self.fabric.host_up]

    @cached_property
    def host_sides(self) -> tuple[Side, ...]:
        """The sides that hosts are cabled to."""
        return tuple(self.sides[number] for number in sorted({*self.host_receivers} - {NOT_KNOWN}))

    @cached_property
    def packs_at(self) -> dict[int, list[TunnelMaps]]:
        """The tunnels that each switch puts packets into."""
        out: dict[int, list[TunnelMaps]] = {}
        for packing in self.classes.packing:
            out.setdefault(packing.at, []).append(packing.maps)
        return out

    def ways(self, s: int, o: int) -> list[Numbered]:
        """How packets come to out-port ``o``: from the cabled in-ports and from the switch itself, sorted."""
        ports, known = self.ports[s], self._known_ins[s]
        key = (s, o) if ports.remapped[o] else (s, 0)
        if key not in self._ways:
            self._ways[key] = sorted(set(zip(ports.side[known].tolist(), ports.remap[known, o].tolist(), strict=True)))
        return self._ways[key]

    @cached_property
    def _known_ins(self) -> list[Ids]:
        """By switch: port 0 and the cabled ports, where their classes are known."""
        cabled = self.fabric.in_link >= 0
        cabled[:, :1] = True
        known = (ports.side != NOT_KNOWN for ports in self.ports)
        return [np.flatnonzero(row[: len(here)] & here).astype(np.int32) for row, here in zip(cabled, known, strict=True)]

    def way(self, numbered: Numbered) -> Way:
        """The way by its numbers."""
        side, remap = numbered
        return Way(self.sides[side], None if remap < 0 else self.rewrites[remap])

    def packing_ways(self, s: int) -> list[tuple[int, Way]]:
        """How packets come to any out-port of ``s`` through a tunnel that begins there, with the number of the side."""
        numbers = sorted({number for number in self.side_of_port[s] if number != NOT_KNOWN})
        return [(number, Way(self.sides[number], None, maps)) for maps in self.packs_at.get(s, ()) for number in numbers]

    def known_outs(self, s: int) -> list[int]:
        """The ports of ``s`` whose classes, and those at the other end of the cable, are known."""
        return np.flatnonzero(self.ports[s].out != NOT_KNOWN).tolist()

    def out_at(self, s: int, o: int) -> Out:
        """The out of a port in ``known_outs``."""
        return self.outs[int(self.ports[s].out[o])]

    def rows(self, labels: Sequence[Label]) -> Rows:
        """An empty table of rows; its lanes are all groups that are lossless somewhere."""
        lossless = {g for side in self.sides for g in side.profile.lossless_groups}
        return Rows(labels, sorted(lossless))

    def turn_row(self, rows: Rows) -> Ids:
        """``Lanes.turn_row``: turns that touch a port whose classes are not known have UNKNOWN_ROW; those without a cable 0."""
        width = self.fabric.max_radix + 1
        table = np.zeros((self.fabric.n_switches, width, width), np.int32)
        done: dict[tuple[object, ...], int] = {}
        for s, ports in enumerate(self.ports):
            ins = [0, *np.flatnonzero(self.fabric.in_link[s] >= 0).tolist()]
            for o, _ in self._cabled(s):
                table[s, ins, o] = UNKNOWN_ROW
            for o in self.known_outs(s):
                ways, packing = self.ways(s, o), [way for _, way in self.packing_ways(s)]
                for way in ways:
                    key = (way, int(ports.out[o]), *ways, s if packing else -1)
                    if key not in done:
                        done[key] = rows.row(self.way(way), self.out_at(s, o), [*map(self.way, ways), *packing])
                    table[s, : len(ports.side), o][(ports.side == way[0]) & (ports.remap[:, o] == way[1])] = done[key]
        return table

    def host_row(self, rows: Rows) -> Ids:
        """``Lanes.host_row``."""
        row = {number: rows.first_row(self.sides[number]) for number in sorted({*self.host_receivers} - {NOT_KNOWN})}
        return np.array([row.get(number, UNKNOWN_ROW) for number in self.host_receivers], np.int32)

    def tunnel_row(self, rows: Rows, s: int, maps: TunnelMaps) -> Ids:
        """The rows of packets that ``s`` puts into a tunnel, [radix+1, radix+1]; UNKNOWN_ROW where there is no way."""
        ports = self.ports[s]
        found = np.full(ports.remap.shape, UNKNOWN_ROW, np.int32)
        for o in self.known_outs(s):
            others = [*map(self.way, self.ways(s, o)), *(way for _, way in self.packing_ways(s))]
            for side in {side for side, _ in self.ways(s, o)}:
                found[ports.side == side, o] = rows.row(Way(self.sides[side], None, maps), self.out_at(s, o), others)
        return found
