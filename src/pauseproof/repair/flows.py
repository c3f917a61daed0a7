"""Where the packets of each destination go, and what is left of it when some turns raise or drop their class.

A *flow* is all packets for one column, as states (link, lane, label) and what may follow each. A *turn* is (buffer, link):
packets that are in the buffer and leave by the link. In the model here packets start in class 0; a turn may raise those of one
class to the next, or make them lossy, after which nobody waits for them. The dependencies of a class are those of its packets.

Notation: ``q`` a state, ``b`` a buffer, ``t`` a turn, ``c`` a class.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pauseproof.repair.acyclic import on_cycles
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Buffer, LabelIn, State
from pauseproof.routing.tables import ChoiceKind, ChoiceTable
from pauseproof.routing.traffic import Traffic
from pauseproof.routing.walk import can_be_waited_for, senders, targets, walk_column

MOST_SOLVED = 60_000  # steps of flows about which z3 is asked: more take minutes to put down
Turn = tuple[Buffer, int]
Rule = tuple[int, Turn]  # (class, turn)
Dependency = tuple[Buffer, Buffer]


class Tunnelled(ValueError):
    """Some packets go through a tunnel: what they do depends on more than turns and labels."""


@dataclass(frozen=True)
class Flow:
    """``starts`` are the states that packets have first, ``after`` those that may follow each, ``columns`` whose they are."""

    columns: tuple[int, ...]
    starts: tuple[State, ...]
    after: Mapping[State, tuple[State, ...]]

    @property
    def size(self) -> int:
        """How many steps there are."""
        return sum(map(len, self.after.values()))

    def steps(self) -> Iterator[tuple[State, State]]:
        """Every state with each that may follow it."""
        return ((q, q2) for q, following in self.after.items() for q2 in following)


def solvable(flows: Iterable[Flow]) -> bool:
    """Are the flows few enough to ask z3 about?"""
    return sum(flow.size for flow in flows) <= MOST_SOLVED


def turn_of(q: State, after: State) -> Turn:
    """The turn by which a packet goes from one state to the next."""
    return (q[0], q[1]), after[0]


def dependency_of(q: State, after: State) -> Dependency:
    """Who waits for whom at that turn."""
    return (q[0], q[1]), (after[0], after[1])


def flows_of(network: Network, traffic: Traffic) -> list[Flow]:
    """The flows that come to a loop, cut down to what leads there. Raises Tunnelled."""
    every = _by_links if _plain(network, traffic) else _walked
    waits: dict[Buffer, set[Buffer]] = {}
    for flow in every(network, traffic):
        for q, after in flow.steps():
            a, b = dependency_of(q, after)
            waits.setdefault(a, set()).add(b)
    number = {b: i for i, b in enumerate(sorted({*waits, *(b for found in waits.values() for b in found)}))}
    looping = on_cycles({number[a]: {number[b] for b in found} for a, found in waits.items()})
    on_loops = {(a, b) for a, found in waits.items() for b in found if number[b] in looping.get(number[a], ())}
    return _alike([cut for flow in every(network, traffic) if (cut := _leading_to(flow, on_loops)) is not None])


def turns_on_loops(flows: Iterable[Flow]) -> set[Turn]:
    """The turns at which the packets of some buffer of a cyclic component wait for another of it."""
    import networkx as nx

    turns = {dependency_of(q, after): turn_of(q, after) for flow in flows for q, after in flow.steps()}
    parts = list(nx.strongly_connected_components(nx.DiGraph(list(turns))))
    number = {b: i for i, part in enumerate(parts) for b in part}
    return {turn for (a, b), turn in turns.items() if number[a] == number[b]}


def _walked(network: Network, traffic: Traffic) -> Iterator[Flow]:
    """All flows. What becomes of a packet before its last hop does not depend on which member of a column it is for."""
    nodes: dict[int, set[int]] = {}
    member: dict[int, int | None] = {}
    for d, g, node in targets(network, traffic):
        nodes.setdefault(d, set()).add(node)
        member.setdefault(d, g)
    sources = senders(network, traffic)
    for d, ends in nodes.items():
        walk = walk_column(network, traffic, [s for s, node in sources.items() if ends != {node}], d, member[d])
        starts = {q for step in walk.first.values() for choice in step.choices for q in choice}
        if any(isinstance(q[2], LabelIn) for q in (*starts, *walk.choices)):
            raise Tunnelled("packets go through tunnels")
        kept = {q: [c for c in choices if can_be_waited_for(network, c)] for q, choices in walk.choices.items()}
        after = {q: tuple(sorted({q2 for choice in choices for q2 in choice})) for q, choices in kept.items()}
        yield Flow((d,), tuple(sorted(starts)), after)


def _plain(network: Network, traffic: Traffic) -> bool:
    """One label in one lane throughout, and choices that no label matters for: then a link says all of a state."""
    lanes, routes = network.lanes, network.routes
    return (
        isinstance(routes, ChoiceTable)
        and routes.member_row is None
        and routes.rewrite is None
        and traffic.labels is None
        and lanes.turn_row is None
        and len(lanes.step) == 1
        and bool((lanes.host_row == 0).all())
        and lanes.lossy_lane is None
        and int(lanes.step[0, traffic.label]) >= 0
        and int(lanes.class_label[lanes.step[0, traffic.label]]) == traffic.label
    )


def _by_links(network: Network, traffic: Traffic) -> Iterator[Flow]:
    """All flows as link by link the tables say, without the last links, to hosts: nobody waits there for another."""
    table = network.routes
    assert isinstance(table, ChoiceTable)
    fabric, lane = network.fabric, int(network.lanes.class_lane[network.lanes.step[0, traffic.label]])
    members = table.members_of((ChoiceKind.HASHED, ChoiceKind.ADAPTIVE))
    ends, n, k = fabric.link_dst.tolist(), fabric.n_switches, traffic.label
    onward = [tuple(l for l in links if ends[l] < n) for links in members]
    ups = [(int(fabric.host_up[h]), int(fabric.host_node[h])) for h in np.flatnonzero(traffic.host_sends).tolist()]
    loud = np.flatnonzero(traffic.switch_sends).tolist()
    nodes: dict[int, set[int]] = {}
    for d, _, node in targets(network, traffic):
        nodes.setdefault(d, set()).add(node)
    for d, here in nodes.items():
        of = [onward[x] for x in table.choices_for(d).tolist()]
        first = {l for l, node in ups if here != {node} and ends[l] < n}
        first |= {l for s in loud if here != {s} for l in of[s]}
        after: dict[State, tuple[State, ...]] = {}
        todo = list(first)
        while todo:
            l = todo.pop()
            if (l, lane, k) not in after:
                after[l, lane, k] = tuple((l2, lane, k) for l2 in of[ends[l]])
                todo += of[ends[l]]
        yield Flow((d,), tuple(sorted((l, lane, k) for l in first)), after)


def _leading_to(flow: Flow, dependencies: set[Dependency]) -> Flow | None:
    """The part of a flow from which packets come to one of ``dependencies``; None where there is none."""
    before: dict[State, list[State]] = {}
    for q, after in flow.steps():
        before.setdefault(after, []).append(q)
    ends = {after for q, after in flow.steps() if dependency_of(q, after) in dependencies}
    kept, todo = set(ends), list(ends)
    while todo:
        for q in before.get(todo.pop(), ()):
            if q not in kept:
                kept.add(q)
                todo.append(q)
    left = {q: tuple(q2 for q2 in following if q2 in kept) for q, following in flow.after.items() if q in kept}
    starts = tuple(q for q in flow.starts if q in kept)
    return Flow(flow.columns, starts, left) if starts else None


def _alike(flows: Iterable[Flow]) -> list[Flow]:
    """Flows that are the same but for their columns are one."""
    groups: dict[tuple[object, ...], list[Flow]] = {}
    for flow in flows:
        groups.setdefault((flow.starts, tuple(sorted(flow.after.items()))), []).append(flow)
    return [Flow(tuple(d for f in same for d in f.columns), same[0].starts, same[0].after) for same in groups.values()]


def raised(flows: Iterable[Flow], rules: set[Rule], classes: int) -> tuple[list[set[Dependency]], bool]:
    """The dependencies of each class when turns raise packets as ``rules`` say; whether some are raised beyond the last."""
    out: list[set[Dependency]] = [set() for _ in range(classes)]
    beyond = False
    for flow in flows:
        met = {(q, 0) for q in flow.starts}
        todo = list(met)
        while todo:
            q, c = todo.pop()
            for after in flow.after[q]:
                rises = (c, turn_of(q, after)) in rules
                if not rises:
                    out[c].add(dependency_of(q, after))
                if c + rises == classes:
                    beyond = True
                elif (after, c + rises) not in met:
                    met.add((after, c + rises))
                    todo.append((after, c + rises))
    return out, beyond


def lossless_part(flows: Iterable[Flow], lossy: set[Turn]) -> set[Dependency]:
    """The dependencies that are left when packets are lossy from the turns ``lossy`` on."""
    out: set[Dependency] = set()
    for flow in flows:
        met = set(flow.starts)
        todo = list(met)
        while todo:
            q = todo.pop()
            for after in flow.after[q]:
                if turn_of(q, after) not in lossy:
                    out.add(dependency_of(q, after))
                    if after not in met:
                        met.add(after)
                        todo.append(after)
    return out
