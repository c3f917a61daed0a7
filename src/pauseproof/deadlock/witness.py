"""For each dependency of a loop, a concrete packet: who sends it, to whom, with which label.

A packet for a hop from buffer (l, v) to buffer (m, w) exists by definition of a dependency; it is found again by walking, few
columns at a time and in their order, those whose entry at the switch between the two links offers ``m``, with the state graph
written down; from the first column that shows the hop, the graph is followed back to where the packet was injected. At an
endpoint-coupled host every packet that it receives waits for what it sends into.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pauseproof.dependency.plan import I64, Plan
from pauseproof.dependency.sources import find_sources
from pauseproof.dependency.states import Explored, Log, Walker
from pauseproof.dependency.successors import Successors, successors
from pauseproof.fabric.lanes import UNKNOWN_ROW
from pauseproof.routing.tables import ChoiceKind


class Hop(NamedTuple):
    """A choice set of the buffer (``link``, ``lane``): (``next_link``, ``next_lane``) and ``others``, where there are any."""

    link: int
    lane: int
    next_link: int
    next_lane: int
    others: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Packet:
    """A packet that carries a hop. ``host`` is its sender, -1 where switch ``switch`` sends it; ``member`` the host it is for,
    -1 where the column is a switch's or a tree's; ``label`` is the label index that it has while it waits, ``seen_as`` the
    column that the tables see then where that is another than ``column`` (in a tunnel), else -1.
    """

    host: int
    switch: int
    column: int
    member: int
    label: int
    seen_as: int = -1


_BATCHES = (1, 8, 64)


def packets(found: Explored, hops: Sequence[Hop]) -> list[Packet | None]:
    """One packet for each hop; None where there is none (no such dependency)."""
    walker = Walker(found)
    return [_packet(found, walker, hop) for hop in hops]


def _packet(found: Explored, walker: Walker, hop: Hop) -> Packet | None:
    sender = int(found.plan.fabric.host_of_link[found.plan.reverse[hop.link]])
    if sender >= 0 and not found.sources.explicit:
        found = _sent_by(found, sender)
        walker = Walker(found)
    at_host = int(found.plan.link_dst[hop.link]) >= found.plan.fabric.n_switches
    columns = _received(found.plan, hop) if at_host else _candidates(found.plan, hop)
    start = 0
    while start < len(columns):
        width = next((b for b in _BATCHES if b > start), _BATCHES[-1])
        width = min(width, max(1, (1 << 22) // found.plan.n_slots))
        log = Log()
        batch = found.plan.with_others(columns[start : start + width])
        walker.walk(batch, log)
        if (packet := _in_tile(found, hop, batch, log)) is not None:
            return packet
        start += width
    return None


def _sent_by(found: Explored, host: int) -> Explored:
    """The same walk with ``host`` alone sending, its packets being states of their own on its link."""
    plan, traffic = found.plan, found.plan.traffic
    alone = np.arange(plan.fabric.n_hosts) == host
    labels = np.broadcast_to(np.uint32(1 << traffic.label), (len(alone), len(plan.columns.on)))
    traffic = replace(traffic, host_sends=alone, switch_sends=np.zeros_like(traffic.switch_sends), labels=labels)
    plan = replace(plan, traffic=traffic)
    return replace(found, plan=plan, sources=find_sources(plan))


def _candidates(plan: Plan, hop: Hop) -> I64:
    """Columns whose entry at the switch between the two links may lead over the second."""
    switch = int(plan.link_dst[hop.link])
    choice = plan.entry_choice[switch * plan.n_values : (switch + 1) * plan.n_values]
    offers = np.zeros(len(choice), np.bool_)
    for v, x in enumerate(choice.tolist()):
        links = plan.choice_link[plan.choice_ptr[x] : plan.choice_ptr[x + 1]]
        offers[v] = hop.next_link in links or (plan.worst and plan.choice_kind[x] == ChoiceKind.UNKNOWN)
    walked = plan.with_others(np.flatnonzero(plan.columns.on | plan.columns.multicast))
    found: I64 = walked[offers[plan.table.value[switch, walked]]]
    return found


def _received(plan: Plan, hop: Hop) -> I64:
    """Columns of the host that the hop's link ends at, then all others."""
    on = np.flatnonzero(plan.columns.on | plan.columns.multicast)
    own = plan.columns.is_member(on, np.full(len(on), int(plan.fabric.host_of_link[hop.link])))
    return np.concatenate((on[own], on[~own]))


def _in_tile(found: Explored, hop: Hop, columns: I64, log: Log) -> Packet | None:
    plan = found.plan
    n_groups = len(log.group)
    slot = np.concatenate((np.full(n_groups, -1, np.int64), *log.slot))
    dl = np.concatenate((log.group_column, *log.column))
    src, dst = np.concatenate(log.src), np.concatenate(log.dst)
    link, lane = slot // plan.n_classes, plan.classes.lane[slot % plan.n_classes]
    states = np.flatnonzero((link == hop.link) & (lane == hop.lane) & (slot >= 0))
    states = states[np.argsort(dl[states], kind="stable")]
    at_host = int(plan.link_dst[hop.link]) >= plan.fabric.n_switches
    if not at_host:
        states = states[_waiting(plan, hop, slot[states], columns[dl[states]])]
    if not len(states):
        return None
    label = int(plan.classes.label[slot[states[0]] % plan.n_classes])
    return _sender(found, columns, log, int(states[0]), src, dst, label, hop.link if at_host else hop.next_link)


def _waiting(plan: Plan, hop: Hop, slot: I64, column: I64) -> I64:
    """Which of the packets in these slots, for these columns, have the hop's choice set; ascending."""
    switch = np.full(len(slot), int(plan.link_dst[hop.link]))
    value = plan.table.value[switch, column].astype(np.int64)
    cls, port = slot % plan.n_classes, np.full(len(slot), int(plan.link_dst_port[hop.link]))
    after = successors(plan, switch, np.full(len(slot), hop.link), port, cls, value, column)
    kind = plan.choice_kind[plan.entry_choice[switch * plan.n_values + value]]
    wanted = {(hop.next_link, hop.next_lane), *hop.others}
    buffers: list[set[tuple[int, int]]] = [set() for _ in slot]
    also: list[set[tuple[int, int]]] = [set() for _ in slot]
    for i, to, row in zip(after.parent.tolist(), after.slot.tolist(), _rows(after), strict=True):
        link, c = divmod(to, plan.n_classes)
        buffers[i].add((link, int(plan.classes.lane[c])))
        also[i] |= {(link, lane) for lane in plan.lanes.waits_also(row, int(plan.classes.label[cls[i]]))}
    together = [kind[i] == ChoiceKind.ADAPTIVE and not also[i] for i in range(len(slot))]
    if plan.worst:
        together = [held and i not in set(after.unknown.tolist()) for i, held in enumerate(together)]
    one = len(wanted) == 1
    held = [wanted == buffers[i] if together[i] else one and wanted <= buffers[i] | also[i] for i in range(len(slot))]
    return np.flatnonzero(held)


def _rows(after: Successors) -> list[int]:
    """The lane map of each possibility, UNKNOWN_ROW where maps do not matter."""
    return [UNKNOWN_ROW] * len(after.slot) if after.row is None else after.row.tolist()


def _sender(found: Explored, columns: I64, log: Log, state: int, src: I64, dst: I64, label: int, last_link: int) -> Packet:
    """Follow the state graph back to an injection, by the earliest states: in breadth-first order that is a shortest way.

    ``last_link`` is the last that the packet is known to take: where it ends at a member, it is for that one.
    """
    plan = found.plan
    parent = np.full(int(max(dst.max(initial=0), state)) + 1, -1, np.int64)
    order = np.argsort(src, kind="stable")[::-1]
    parent[dst[order]] = src[order]
    origin = state
    while origin >= len(log.group) and parent[origin] >= 0 and parent[origin] < origin:
        origin = int(parent[origin])
    slot = np.concatenate(log.slot)
    dl = np.concatenate((log.group_column, *log.column))
    column, here = int(columns[dl[origin]]), int(columns[dl[state]])
    seen_as = -1 if here == column else here
    node = plan.fabric.host_node
    if origin < len(log.group):
        group = int(log.group[origin])
        hosts = np.flatnonzero(found.sources.groups.of_host == group).tolist()
        if not hosts:
            switch = int(found.sources.groups.switch[group])
            return Packet(-1, switch, column, _member(plan, column, -1, last_link), label, seen_as)
    else:
        hosts = [int(plan.fabric.host_of_link[plan.reverse[slot[origin - len(log.group)] // plan.n_classes]])]
    for host in hosts:
        member = _member(plan, column, host, last_link)
        if plan.columns.multicast[column] or plan.columns.owner[column] >= 0 or (member >= 0 and node[member] != node[host]):
            return Packet(host, -1, column, member, label, seen_as)
    raise AssertionError(f"column {column} was injected by no host of its group")


def _member(plan: Plan, column: int, host: int, last_link: int) -> int:
    """The member that the packet is for: the one at the end of ``last_link``, else the first on another node than ``host``."""
    if plan.columns.multicast[column] or plan.columns.owner[column] >= 0:
        return -1
    (lo,), (hi,) = plan.columns.span(np.array([column]))
    members = plan.columns.members()[1][lo:hi].tolist()
    at_end = int(plan.fabric.host_of_link[last_link])
    if at_end in members:
        return at_end
    node = plan.fabric.host_node
    return next((m for m in members if host < 0 or node[m] != node[host]), -1)
