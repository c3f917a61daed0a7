"""Random small networks for property tests, built straight from the dataclasses.

``anything()`` draws every kind of table entry, lane map and traffic; ``sane()`` draws shortest-path tables on connected
fabrics with a few entries mutated, so that packets go far; ``plain()`` draws one lane, hashed routes and drops, and gives the
tables both as choices and as rows of bits. Each gives :class:`Case` values. A drawn integer is decoded into a table entry
(0 is a drop), so that networks shrink quickly and an example costs a few milliseconds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from pauseproof.fabric.lanes import LOSSY, NOT_OFFERED, UNKNOWN_ROW, Lanes
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, Route, Routes, RowTable
from pauseproof.routing.traffic import Traffic

Draw = st.DrawFn
Port = tuple[int, int]
ENTRY = 1 << 12  # entries are drawn from range(ENTRY): the kind from the low four bits, the links from the others
KINDS = (
    ChoiceKind.DROP,
    *(ChoiceKind.HASHED,) * 7,
    *(ChoiceKind.ADAPTIVE,) * 4,
    ChoiceKind.UNKNOWN,
    ChoiceKind.LOCAL,
    ChoiceKind.DEAD_PORT,
    ChoiceKind.DELIVER,
)


class Case(NamedTuple):
    """A network and the traffic to ask it about."""

    network: Network
    traffic: Traffic


class PlainCase(NamedTuple):
    """One fabric and traffic with its tables as choices and, equal entry for entry, as rows of bits."""

    choices: Network
    rows: Network
    traffic: Traffic


@dataclass(frozen=True)
class Column:
    """One destination before it becomes a column of :class:`Destinations`."""

    kind: DestinationKind
    owner: int = -1
    members: tuple[int, ...] = ()


def fabric_of(radix: Sequence[int], host_ports: Sequence[int], cables: Sequence[tuple[Port, Port]]) -> Fabric:
    """A fabric of switches s0.. and end nodes h0.. with so many ports, from cables between (node, port) ends."""
    ends = sorted([(b, a) for a, b in cables] + [(a, b) for a, b in cables])  # (receiving end, sending end)
    kinds = [NodeKind.SWITCH] * len(radix) + [NodeKind.HOST] * len(host_ports)
    columns = np.array([[*src, *dst] for dst, src in ends], np.int32).reshape(len(ends), 4).T
    return Fabric(
        name="random",
        kind="roce",
        node_name=[f"s{i}" for i in range(len(radix))] + [f"h{i}" for i in range(len(host_ports))],
        node_guid=np.zeros(len(kinds), np.uint64),
        node_kind=np.array(kinds, np.uint8),
        node_ports=np.array([*radix, *host_ports], np.int32),
        link_src=columns[0],
        link_src_port=columns[1],
        link_dst=columns[2],
        link_dst_port=columns[3],
    )


def destinations_of(columns: Sequence[Column]) -> Destinations:
    """The columns as arrays."""
    return Destinations(
        names=[f"d{i}" for i in range(len(columns))],
        kind=np.array([c.kind for c in columns], np.uint8),
        owner=np.array([c.owner for c in columns], np.int32),
        member_ptr=np.cumsum([0] + [len(c.members) for c in columns], dtype=np.int64),
        member=np.array([h for c in columns for h in sorted(c.members)], np.int32),
    )


def uniform_traffic(fabric: Fabric, n_destinations: int, *, switches: bool = False, label: int = 0) -> Traffic:
    """Every host sends to every column; and every switch, where asked."""
    every_host = np.ones(fabric.n_hosts, np.bool_)
    return Traffic(
        "all",
        host_sends=every_host,
        host_receives=every_host,
        switch_sends=np.full(fabric.n_switches, switches),
        destination_on=np.ones(n_destinations, np.bool_),
        label=label,
    )


def out_links(fabric: Fabric, s: int) -> list[int]:
    """The links that leave switch ``s``."""
    return [l.id for l in fabric.links() if l.src == s]


def home(fabric: Fabric, h: int) -> int | None:
    """The switch that host ``h`` is cabled to, None where it is cabled to a host."""
    s = fabric.link(fabric.host(h).up).dst
    return s if s < fabric.n_switches else None


# ---- cabling


@st.composite
def fabrics(draw: Draw, *, connected: bool = False) -> Fabric:
    """1-6 switches with any cables between them (parallel, looped back), 0-8 hosts on end nodes of one or two ports."""
    n = draw(st.integers(2 if connected else 1, 6))
    switch = st.integers(0, n - 1)
    between = draw(st.lists(st.tuples(switch, switch), max_size=9))
    if connected:
        between = [(draw(st.integers(0, s - 1)), s) for s in range(1, n)] + between
    least = 2 if connected else draw(st.sampled_from((0, 1, 3, 4)))
    homes = draw(st.lists(st.one_of(*[switch] * 9, st.none()), min_size=least, max_size=8))  # two Nones: cabled to each other
    two_ports = draw(st.integers(0, 3)) == 3
    used = [draw(st.integers(0, 1)) for _ in range(n)]  # the first ports stay without a cable

    def plug(s: int) -> Port:
        used[s] += 1
        return s, used[s]

    cables = [(plug(a), plug(b)) for a, b in between]
    waiting: list[Port] = []
    host_ports: list[int] = []
    for i, s in enumerate(homes):
        if not (two_ports and i % 3 == 1):
            host_ports.append(0)
        host_ports[-1] += 1
        port = (n + len(host_ports) - 1, host_ports[-1])
        if s is not None:
            cables.append((plug(s), port))
        elif waiting:
            cables.append((waiting.pop(), port))
        else:
            waiting.append(port)
    spare = draw(st.integers(0, 1))
    return fabric_of([p + spare for p in used], host_ports, cables)


# ---- destinations


@st.composite
def columns_of(draw: Draw, fabric: Fabric, *, only_hosts: bool = False, alone: bool = False) -> list[Column]:
    """1-6 columns that keep the promise of :class:`Destinations`; ``alone``: at most one host each."""
    drawn = [draw(one_column(fabric, only_hosts)) for _ in range(draw(st.integers(1, 6)))]
    if not only_hosts and draw(st.integers(0, 3)) == 3:
        drawn = drawn[:3] * 2  # columns with the same members, for packets to change to
    return [replace(c, members=c.members[:1]) if alone and c.kind == DestinationKind.HOST else c for c in drawn]


@st.composite
def one_column(draw: Draw, fabric: Fabric, only_hosts: bool) -> Column:
    """A column for one host, for the hosts of a switch, for a switch, for a multicast group, or for nobody."""
    pick = draw(st.integers(0, 9))
    hosts = list(range(fabric.n_hosts))
    if not hosts or (only_hosts and pick == 9):
        s = draw(st.integers(-1, fabric.n_switches - 1))
        return Column(DestinationKind.NOBODY) if s < 0 or only_hosts else Column(DestinationKind.SWITCH, s)
    if pick <= 4:
        return Column(DestinationKind.HOST, members=(draw(st.sampled_from(hosts)),))
    if pick <= 6 or only_hosts:
        s = draw(st.integers(0, fabric.n_switches - 1))
        ports_of = [h.node for h in fabric.hosts()]
        mates = [h for h in hosts if home(fabric, h) == s and ports_of.count(ports_of[h]) == 1]
        keep = draw(st.integers(0, 255))
        return Column(DestinationKind.HOST, members=tuple(h for h in mates if not keep >> h & 1))
    if pick <= 8:
        return Column(DestinationKind.SWITCH, draw(st.integers(0, fabric.n_switches - 1)))
    return Column(DestinationKind.MULTICAST, members=tuple(draw(st.sets(st.sampled_from(hosts), min_size=1, max_size=4))))


# ---- table entries


def entry_of(code: int, fabric: Fabric, s: int, column: Column) -> Route:
    """The table entry that a drawn integer stands for."""
    kind, links = KINDS[code & 15], chosen(code >> 4, out_links(fabric, s))
    shared_home = len(column.members) > 1 and all(home(fabric, g) == s for g in column.members)
    if kind == ChoiceKind.DELIVER or (shared_home and column.kind == DestinationKind.HOST and code & 1):
        return deliver(fabric, s, column)
    if kind == ChoiceKind.HASHED and column.kind == DestinationKind.MULTICAST:
        kind = ChoiceKind.MULTICAST
    if kind in (ChoiceKind.HASHED, ChoiceKind.MULTICAST, ChoiceKind.ADAPTIVE):
        return Route(kind, links) if links else Route(ChoiceKind.DROP, ())
    return Route(kind, ())


def chosen(code: int, links: list[int]) -> tuple[int, ...]:
    """One link where the code is even, else any of them by bits."""
    if not links:
        return ()
    half = code >> 1
    return tuple(l for i, l in enumerate(links) if half >> (i % 7) & 1) if code & 1 else (links[half % len(links)],)


def deliver(fabric: Fabric, s: int, column: Column) -> Route:
    """Each packet to its own host; a drop where ``s`` is not the switch of the members."""
    down = [fabric.host(g).down for g in column.members if home(fabric, g) == s]
    if column.kind != DestinationKind.HOST or not down:
        return Route(ChoiceKind.DROP, ())
    return Route(ChoiceKind.DELIVER, tuple(down))


def promised(fabric: Fabric, column: Column, entry: Route) -> Route:
    """The entry, without links that lead a column of several hosts straight to one of them."""
    if len(column.members) < 2 or column.kind != DestinationKind.HOST or entry.kind == ChoiceKind.DELIVER:
        return entry
    direct = {fabric.host(g).down for g in column.members}
    links = tuple(l for l in entry.links if l not in direct)
    return Route(entry.kind, links) if links or not entry.links else Route(ChoiceKind.DROP, ())


def with_rows(entry: Route, seed: Sequence[int], shift: int) -> Route:
    """The entry with lane maps of its members' own, its first link twice."""
    if entry.kind not in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, ChoiceKind.MULTICAST) or shift % 3 == 0:
        return entry
    links = (entry.links[0], *entry.links)
    members = sorted({(l, seed[(i + shift) % len(seed)]) for i, l in enumerate(links)})
    return Route(entry.kind, tuple(l for l, _ in members), tuple(row for _, row in members))


def with_rewrites(columns: Sequence[Column], routes: Sequence[Sequence[Route]], shift: int) -> list[list[Route]]:
    """The entries, some of which send packets on in another column with the same members."""
    alike = {d: [e for e, other in enumerate(columns) if e != d and other == column] for d, column in enumerate(columns)}

    def entry(s: int, d: int, route: Route) -> Route:
        changes = alike[d] and (s + d + shift) % 3 and route.kind in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)
        return route._replace(column=alike[d][(s + shift) % len(alike[d])]) if changes else route

    return [[entry(s, d, route) for d, route in enumerate(row)] for s, row in enumerate(routes)]


@st.composite
def wild_routes(draw: Draw, fabric: Fabric, columns: Sequence[Column]) -> list[list[Route]]:
    """Any entry anywhere."""
    n = fabric.n_switches * len(columns)
    codes = iter(draw(st.lists(st.integers(0, ENTRY - 1), min_size=n, max_size=n)))
    return [[entry_of(next(codes), fabric, s, column) for column in columns] for s in range(fabric.n_switches)]


def shortest_entry(fabric: Fabric, s: int, column: Column, towards: dict[int, int], code: int) -> Route:
    """The links of ``s`` that are nearer to the column: all hashed, all adaptive, or one; or detours too, adaptive."""
    if s not in towards:
        return Route(ChoiceKind.DROP, ())
    if towards[s] == 0:
        return last_hop(fabric, s, column, code)
    closer = tuple(l for l in out_links(fabric, s) if towards.get(fabric.link(l).dst, 99) == towards[s] - 1)
    if code % 8 == 7:
        return Route(ChoiceKind.ADAPTIVE, tuple(l for l in out_links(fabric, s) if fabric.link(l).dst in towards))
    if code % 4 == 0:
        return Route(ChoiceKind.HASHED, (closer[code // 4 % len(closer)],))
    return Route(ChoiceKind.ADAPTIVE if code % 4 == 3 else ChoiceKind.HASHED, closer)


def last_hop(fabric: Fabric, s: int, column: Column, code: int) -> Route:
    """What the switch that the column lives on says."""
    if column.kind == DestinationKind.SWITCH:
        return Route(ChoiceKind.LOCAL, ())
    if len(column.members) == 1 and code & 1:
        return Route(ChoiceKind.HASHED, (fabric.host(column.members[0]).down,))
    return deliver(fabric, s, column)


def distances(fabric: Fabric, column: Column) -> dict[int, int]:
    """Hops of each switch to the switch that the column lives on."""
    owner = column.owner if column.kind == DestinationKind.SWITCH else next((home(fabric, g) for g in column.members), None)
    graph = nx.Graph((l.src, l.dst) for l in fabric.links() if max(l.src, l.dst) < fabric.n_switches)
    if owner is None or owner < 0:
        return {}
    graph.add_node(owner)
    return dict(nx.single_source_shortest_path_length(graph, owner))


@st.composite
def sane_routes(draw: Draw, fabric: Fabric, columns: Sequence[Column]) -> list[list[Route]]:
    """Shortest paths (a flood along all links for multicast), and up to three entries that are anything."""
    far = [distances(fabric, column) for column in columns]
    code = draw(st.integers(0, ENTRY - 1))

    def entry(s: int, d: int) -> Route:
        if columns[d].kind == DestinationKind.MULTICAST:
            return Route(ChoiceKind.MULTICAST, tuple(out_links(fabric, s)))
        return shortest_entry(fabric, s, columns[d], far[d], code * (s + 1) + d)

    routes = [[entry(s, d) for d in range(len(columns))] for s in range(fabric.n_switches)]
    at = st.tuples(st.integers(0, fabric.n_switches - 1), st.integers(0, len(columns) - 1), st.integers(0, ENTRY - 1))
    for s, d, mutation in draw(st.lists(at, max_size=3)):
        routes[s][d] = entry_of(mutation, fabric, s, columns[d])
    return routes


# ---- lanes


@st.composite
def lanes_of(draw: Draw, fabric: Fabric, *, faults: bool = True) -> Lanes:
    """1-3 labels and lanes, some of the classes that they form, and any step rows; with faults, lossy and unknown too."""
    k, v = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    every = [(label, lane) for label in range(k) for lane in range(v)]
    classes = draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    rows = draw(st.integers(1, 3))
    all_rows = rows + draw(st.integers(0, 2))  # those beyond ``rows`` are for members of choices alone
    step = draw(st.lists(st.integers(0, 6 * len(classes)), min_size=all_rows * k, max_size=all_rows * k))
    lossy = faults and draw(st.booleans())
    table = [LOSSY if lossy and x == 6 * len(classes) else x % len(classes) for x in step]
    if draw(st.booleans()):
        table[rows * k :] = [NOT_OFFERED if i % 2 else c for i, c in enumerate(table[rows * k :])]
    row = row_numbers(rows, unknown=faults and draw(st.booleans()))
    also = draw(st.lists(st.sets(st.integers(0, v - 1), max_size=2), min_size=5, max_size=5)) if draw(st.booleans()) else None
    ports = fabric.max_radix + 1
    seed = draw(st.lists(row, min_size=7, max_size=7))
    turns = [[[seed[(3 * s + 2 * i + o) % 7] for o in range(ports)] for i in range(ports)] for s in range(fabric.n_switches)]
    per_turn = draw(st.booleans())
    return Lanes(
        label_names=tuple(map(str, range(k))),
        lane_names=tuple(map(str, range(v))),
        class_label=np.array([label for label, _ in classes], np.int16),
        class_lane=np.array([lane for _, lane in classes], np.int16),
        step=np.array(table, np.int16).reshape(all_rows, k),
        turn_row=np.array(turns, np.int32).reshape(fabric.n_switches, ports, ports) if per_turn else None,
        host_row=np.array(draw(st.lists(row, min_size=fabric.n_hosts, max_size=fabric.n_hosts)), np.int32),
        lossy_lane=draw(st.integers(0, v - 1)) if v > 1 and draw(st.booleans()) else None,
        coupled=None
        if also is None
        else tuple(tuple(tuple(sorted(also[(2 * r + i) % 5])) for i in range(k)) for r in range(all_rows)),
    )


def row_numbers(rows: int, *, unknown: bool) -> st.SearchStrategy[int]:
    """A row of ``step``, or sometimes UNKNOWN_ROW."""
    return st.integers(0, 4 * rows).map(lambda x: UNKNOWN_ROW if unknown and x == 4 * rows else x % rows)


# ---- traffic


def mask(n: int, *, usually: bool = True) -> st.SearchStrategy[np.ndarray]:
    """``n`` booleans; the simplest are all alike."""
    bits = st.one_of(st.just(0), st.just(0), st.just(0), st.integers(0, 2**n - 1))
    return bits.map(lambda x: np.array([bool(x >> i & 1) ^ usually for i in range(n)], np.bool_))


@st.composite
def traffic_of(draw: Draw, fabric: Fabric, n_destinations: int, n_labels: int, *, by_pair: bool = True) -> Traffic:
    """Some hosts and switches send, some receive, some columns are on; labels may differ by pair, or be unknown."""
    labels = None
    if by_pair and draw(st.booleans()):
        any_set = st.one_of(st.integers(1, 2**n_labels - 1), st.integers(0, 2**n_labels - 1))
        few = draw(st.lists(any_set, min_size=5, max_size=5))
        sets = [[few[(2 * h + d) % 5] for d in range(n_destinations)] for h in range(fabric.n_hosts)]
        labels = np.array(sets, np.uint32).reshape(fabric.n_hosts, n_destinations)
    return Traffic(
        name="drawn",
        host_sends=draw(mask(fabric.n_hosts)),
        host_receives=draw(mask(fabric.n_hosts)),
        switch_sends=draw(mask(fabric.n_switches, usually=draw(st.booleans()))),
        destination_on=draw(mask(n_destinations)),
        label=draw(st.integers(0, n_labels - 1)),
        labels=labels,
        coupled=draw(mask(fabric.n_hosts)) if draw(st.integers(0, 5)) == 5 else None,
    )


# ---- whole networks

RoutesOf = Callable[[Fabric, Sequence[Column]], st.SearchStrategy[list[list[Route]]]]


@st.composite
def networks(draw: Draw, routes_of: RoutesOf, *, connected: bool) -> Case:
    """A network with the given kind of routes, and traffic for it."""
    fabric = draw(fabrics(connected=connected))
    one_lane = Lanes.identity(fabric.n_hosts)
    lanes = draw(st.one_of(st.just(one_lane), lanes_of(fabric, faults=not connected), lanes_of(fabric)))
    columns = draw(columns_of(fabric, alone=lanes is not one_lane))
    routes = [
        [promised(fabric, column, entry) for column, entry in zip(columns, row, strict=True)]
        for row in draw(routes_of(fabric, columns))
    ]
    if lanes is not one_lane and draw(st.booleans()):
        seed = draw(st.lists(st.integers(-1, len(lanes.step) - 1), min_size=5, max_size=5))
        routes = [[with_rows(entry, seed, 2 * s + 3 * d) for d, entry in enumerate(row)] for s, row in enumerate(routes)]
    if draw(st.integers(0, 3)) == 3:
        routes = with_rewrites(columns, routes, draw(st.integers(1, 7)))
    table = ChoiceTable.from_routes(routes)
    traffic = draw(traffic_of(fabric, len(columns), len(lanes.label_names)))
    return Case(Network(fabric, destinations_of(columns), table, lanes, {traffic.name: traffic}), traffic)


def anything() -> st.SearchStrategy[Case]:
    """Every kind of entry, anywhere."""
    return networks(wild_routes, connected=False)


def sane() -> st.SearchStrategy[Case]:
    """Shortest paths on connected fabrics, slightly wrong."""
    return networks(sane_routes, connected=True)


@st.composite
def plain(draw: Draw) -> PlainCase:
    """One lane and label; hashed, deliver and drop only (and dead ports); 1-6 columns, or those repeated past 64."""
    fabric = draw(fabrics(connected=draw(st.booleans())))
    drawn = draw(columns_of(fabric, only_hosts=True))
    routes = draw(st.one_of(wild_routes(fabric, drawn), sane_routes(fabric, drawn)))
    n = draw(st.sampled_from((len(drawn), len(drawn), len(drawn), 64, 65, 67, 131)))
    columns = [drawn[d % len(drawn)] for d in range(n)]
    flat = [[flattened(fabric, s, columns[d], row[d % len(drawn)]) for d in range(n)] for s, row in enumerate(routes)]
    destinations, lanes = destinations_of(columns), Lanes.identity(fabric.n_hosts)
    traffic = draw(traffic_of(fabric, n, 1, by_pair=False))
    if draw(st.integers(0, 7)):  # mostly hosts only
        traffic = replace(traffic, switch_sends=np.zeros(fabric.n_switches, np.bool_))

    def network(routes: Routes) -> Network:
        return Network(fabric, destinations, routes, lanes, {traffic.name: traffic})

    return PlainCase(network(ChoiceTable.from_routes(flat)), network(rows_of(fabric, destinations, flat)), traffic)


def flattened(fabric: Fabric, s: int, column: Column, entry: Route) -> Route:
    """The entry in the kinds that rows of bits can say."""
    entry = promised(fabric, column, entry)
    if entry.kind == ChoiceKind.ADAPTIVE:
        return Route(ChoiceKind.HASHED, entry.links)
    if entry.kind == ChoiceKind.DELIVER:
        return deliver(fabric, s, column)
    return entry if entry.kind in (ChoiceKind.HASHED, ChoiceKind.DEAD_PORT) else Route(ChoiceKind.DROP, ())


def rows_of(fabric: Fabric, destinations: Destinations, routes: Sequence[Sequence[Route]]) -> RowTable:
    """The same entries as bits."""
    words = -(-len(destinations) // 64)
    rows = np.zeros((fabric.n_links, words), np.uint64)
    deliver_bits, dead = np.zeros((2, fabric.n_switches, words), np.uint64)
    for s, row in enumerate(routes):
        for d, (kind, links, *_) in enumerate(row):
            word, bit = d // 64, np.uint64(1 << d % 64)
            if kind == ChoiceKind.DELIVER:
                deliver_bits[s, word] |= bit
            elif kind == ChoiceKind.DEAD_PORT:
                dead[s, word] |= bit
            for l in links if kind == ChoiceKind.HASHED else ():
                rows[l, word] |= bit
    has_dead = dead if dead.any() else None
    return RowTable(rows, deliver_bits, has_dead, len(destinations), fabric.link_src, destinations, fabric.host_down)
