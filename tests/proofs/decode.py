"""A twin's model as a fabric: the switches on its packets' routes, a cable for each hop, and tables that send the packets so.

A twin names ``pi_j``, the j-th switch of packet i, and where lanes matter ``vi_j``, its lane on the link that leaves that
switch (lane 0 where there is none). Packet i has a destination column, a label and two hosts of its own: hi at its first
switch, which sends it, and gi at its last, for which it is. Nothing else is sent: on other labels hosts are lossy.

Notation: ``i`` a packet, also its column and its label; ``r`` a row of ``step``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.lanes import LOSSY, Lanes
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, Route
from pauseproof.routing.traffic import Traffic

DROP = Route(ChoiceKind.DROP, ())


@dataclass(frozen=True)
class Packet:
    """One packet of the loop: nodes from its host to the other, and its lane on each link (one less than the nodes)."""

    nodes: tuple[str, ...]
    lanes: tuple[int, ...]

    def hops(self) -> Iterator[tuple[str, str, int]]:
        """(from, to, lane) of each link."""
        return ((s, n, lane) for (s, n), lane in zip(pairwise(self.nodes), self.lanes, strict=True))


def packets_of(text: str) -> list[Packet]:
    """The packets of a twin, as z3's model has them."""
    import z3

    solver = z3.Solver()
    solver.from_string(text)
    assert solver.check() == z3.sat
    model = solver.model()
    value = {c.name(): str(model[c]) for c in model.decls() if c.arity() == 0}
    found = sorted(tuple(map(int, name[1:].split("_"))) for name in value if re.fullmatch(r"p\d+_\d+", name))
    last: dict[int, int] = dict(found)  # type: ignore[arg-type]
    return [_packet(i, [value[f"p{i}_{j}"] for j in range(n + 1)], value) for i, n in last.items()]


def _packet(i: int, switches: list[str], value: dict[str, str]) -> Packet:
    assert len(set(switches)) == len(switches)
    lanes = [int(value.get(f"v{i}_{j}", "0")) for j in range(len(switches) - 1)]
    return Packet((f"h{i}", *switches, f"g{i}"), (0, *lanes, lanes[-1]))


def network_of(packets: list[Packet]) -> Network:
    """The fabric that these packets need and no more, with the tables, lanes and traffic that make just these packets."""
    fabric = _fabric(packets)
    node = {name: n for n, name in enumerate(fabric.node_name)}
    link = {(l.src, l.dst): l.id for l in fabric.links()}
    host = {fabric.node_name[h.node]: h.id for h in fabric.hosts()}
    receivers = [host[packet.nodes[-1]] for packet in packets]
    n = len(packets)
    routes = [[DROP] * n for _ in range(fabric.n_switches)]
    for i, packet in enumerate(packets):
        for at, to in pairwise(packet.nodes[1:]):
            kind = ChoiceKind.DELIVER if to == packet.nodes[-1] else ChoiceKind.HASHED
            routes[node[at]][i] = Route(kind, (link[node[at], node[to]],))
    columns = Destinations(
        [f"to g{i}" for i in range(n)],
        np.full(n, DestinationKind.HOST, np.uint8),
        np.full(n, -1, np.int32),
        np.arange(n + 1, dtype=np.int64),
        np.array(receivers, np.int32),
    )
    lanes = _lanes(fabric, packets, node, link, host)
    traffics = {"loop": _traffic(fabric, [host[packet.nodes[0]] for packet in packets], receivers)}
    return Network(fabric, columns, ChoiceTable.from_routes(routes), lanes, traffics, tables_read=fabric.n_switches)


def _fabric(packets: list[Packet]) -> Fabric:
    ends = {name for packet in packets for name in (packet.nodes[0], packet.nodes[-1])}
    names = sorted({name for packet in packets for name in packet.nodes}, key=lambda name: (name in ends, name))
    cables = sorted({tuple(sorted(map(names.index, pair))) for packet in packets for pair in pairwise(packet.nodes)})
    used = [0] * len(names)

    def next_port(n: int) -> int:
        used[n] += 1
        return used[n]

    stated = np.array([(a, next_port(a), b, next_port(b)) for a, b in cables], np.int32)
    kinds = np.array([NodeKind.HOST if name in ends else NodeKind.SWITCH for name in names], np.uint8)
    guids = np.arange(1, len(names) + 1, dtype=np.uint64)
    nodes = Nodes(names, guids, kinds, np.array(used, np.int32))
    return make_fabric("twin", "infiniband", nodes, Cables(stated[:, 0], stated[:, 1], stated[:, 2], stated[:, 3]))


def _lanes(
    fabric: Fabric, packets: list[Packet], node: dict[str, int], link: dict[tuple[int, int], int], host: dict[str, int]
) -> Lanes:
    """Row 0 for unused turns; then a row for each used out-link of a switch; then one for each host that sends."""
    n, n_lanes = len(packets), 1 + max(lane for packet in packets for lane in packet.lanes)
    unused = [LOSSY] * n
    step = [unused]
    row_of: dict[int, int] = {}
    host_row = np.zeros(fabric.n_hosts, np.int32)
    turn_row = np.zeros((fabric.n_switches, fabric.max_radix + 1, fabric.max_radix + 1), np.int32)
    for i, packet in enumerate(packets):
        for at, to, lane in packet.hops():
            l = link[node[at], node[to]]
            r = row_of.setdefault(l, len(row_of) + 1)
            if r == len(step):
                step.append(list(unused))
            step[r][i] = i * n_lanes + lane
            if at in host:
                host_row[host[at]] = r
            else:
                turn_row[node[at], :, fabric.link(l).src_port] = r
    classes = [(label, lane) for label in range(n) for lane in range(n_lanes)]
    return Lanes(
        tuple(str(i) for i in range(n)),
        tuple(str(lane) for lane in range(n_lanes)),
        np.array([label for label, _ in classes], np.int16),
        np.array([lane for _, lane in classes], np.int16),
        np.array(step, np.int16),
        turn_row,
        host_row,
    )


def _traffic(fabric: Fabric, senders: list[int], receivers: list[int]) -> Traffic:
    n = len(receivers)
    sends, receives = np.zeros(fabric.n_hosts, bool), np.zeros(fabric.n_hosts, bool)
    sends[senders] = receives[receivers] = True
    labels = np.tile(np.left_shift(1, np.arange(n, dtype=np.uint32)), (fabric.n_hosts, 1)).astype(np.uint32)
    return Traffic("loop", sends, receives, np.zeros(fabric.n_switches, bool), np.ones(n, bool), labels=labels)
