"""What becomes of each pair: routed, unroutable, looping, or unknown; and where packets end badly.

Only destinations on which something can go wrong are walked a second time, now with their state graph written down: a packet
*loops* where it can be forwarded for ever, is *unroutable* where some possibility drops it or brings it to a wrong host, and
*unknown* where some possibility meets an unread row, map or label; in this order. Everything else is routed.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pauseproof.dependency.plan import I64, Bools, Columns, Plan, first_classes
from pauseproof.dependency.reach import can_loop, can_reach, ranges
from pauseproof.dependency.states import Explored, Log, Walker, effective_labels, labels_read, tiles
from pauseproof.fabric.model import Fabric
from pauseproof.routing.traffic import Traffic


class Fault(NamedTuple):
    """Packets for ``column`` end badly at ``node``; ``link`` is the link to a wrong host, else -1."""

    node: int
    column: int
    link: int


@dataclass
class Outcomes:
    """Counts of pairs; ``faults``: where packets are dropped or misdelivered; ``loops``: links of a loop to its columns."""

    pairs: int = 0
    unroutable_pairs: int = 0
    looping_pairs: int = 0
    unknown_pairs: int = 0
    faults: set[Fault] = field(default_factory=set)
    loops: dict[tuple[int, ...], list[int]] = field(default_factory=dict)


class _Bad(NamedTuple):
    """Per state of a tile: may loop, may be dropped, may meet the unknown."""

    loops: Bools
    drops: Bools
    unknown: Bools


def outcomes(found: Explored, *, may_loop: bool) -> Outcomes:
    """Count pairs by outcome. ``may_loop`` False promises that the dependency graph has no cycle, so that no packet loops."""
    plan = found.plan
    out = Outcomes(pairs=count_pairs(plan.fabric, plan.traffic, plan.columns))
    suspect = found.drops | found.unknowns | (plan.columns.on & may_loop)
    if found.sources.explicit:
        suspect |= _odd_labels(found)
    else:
        _first_hops(found, out)
    walker = Walker(found)
    suspects = plan.with_others(np.flatnonzero(suspect))
    for columns in tiles(plan, suspects[plan.columns.on[suspects]]):
        log = Log()
        walker.walk(columns, log)
        bad = _judge(log, walker.stamp - walker.base)
        _count(found, out, columns, log, bad)
        _locate(plan, out, found, columns, log, bad)
    return out


def count_pairs(fabric: Fabric, traffic: Traffic, columns: Columns) -> int:
    """(source, destination member) pairs of different nodes."""
    sending_on_node = np.bincount(fabric.host_node[traffic.host_sends], minlength=fabric.n_nodes)
    sending_on_node[: fabric.n_switches] += traffic.switch_sends
    column, host = columns.members()
    same = np.bincount(column, weights=sending_on_node[fabric.host_node[host]], minlength=len(columns.on))
    owned = columns.owner >= 0
    same[owned] = sending_on_node[columns.owner[owned]]
    return int((sending_on_node.sum() * columns.n_members - same)[columns.on].sum())


def _first_hops(found: Explored, out: Outcomes) -> None:
    """Hosts whose packets never reach a switch: no first class, an unknown one, or a cable to another host."""
    plan = found.plan
    for h in np.flatnonzero(plan.traffic.host_sends & (found.sources.groups.of_host < 0)).tolist():
        first = found.sources.first[h]
        pairs = _pairs_with(plan, h, range(0))
        if first is None:
            out.unknown_pairs += pairs
        elif not first:
            out.unroutable_pairs += pairs
        else:
            peer = int(plan.fabric.host_of_link[plan.fabric.host_up[h]])
            out.unroutable_pairs += pairs - _pairs_with(plan, h, [peer])
            out.faults |= {
                Fault(int(plan.fabric.host_node[peer]), int(d), int(plan.fabric.host_up[h])) for d in _others(plan, h, peer)
            }


def _pairs_with(plan: Plan, host: int, peers: "range | list[int]") -> int:
    """Pairs of ``host`` with the given member hosts, or with everything where none are given."""
    node = plan.fabric.host_node[host]
    column, member = plan.columns.members()
    paired = plan.columns.on[column] & (plan.fabric.host_node[member] != node)
    if len(peers):
        return int(np.count_nonzero(paired & np.isin(member, peers)))
    return int(np.count_nonzero(paired)) + int(np.count_nonzero(plan.columns.on & (plan.columns.owner >= 0)))


def _others(plan: Plan, host: int, peer: int) -> I64:
    node = int(plan.fabric.host_node[host])
    columns = np.flatnonzero(plan.columns.on & (plan.columns.node != node))
    return columns[~plan.columns.is_member(columns, np.full(len(columns), peer))]


def _odd_labels(found: Explored) -> Bools:
    """Columns of some pair whose label is unknown, or whose packets never leave their host."""
    plan = found.plan
    leaders = _row_leaders(plan, np.flatnonzero(plan.traffic.host_sends))
    labels = [k for k in range(len(plan.lanes.label_names)) if k in plan.classes.first_of_label]
    odd = any(not first_classes(plan, int(h), k) for h in leaders for k in labels)
    return found.unlabelled | odd


def _row_leaders(plan: Plan, hosts: I64) -> I64:
    return hosts[np.unique(plan.lanes.host_row[hosts], return_index=True)[1]]


def _judge(log: Log, n: int) -> _Bad:
    src, dst = np.concatenate(log.src), np.concatenate(log.dst)
    return _Bad(
        can_loop(n, src, dst),
        can_reach(n, src, dst, np.concatenate(log.dropped)),
        can_reach(n, src, dst, np.concatenate(log.unknown)),
    )


def _tally(out: Outcomes, pairs: I64, bad: _Bad, start: I64) -> None:
    loops = bad.loops[start]
    drops = bad.drops[start] & ~loops
    unknown = bad.unknown[start] & ~loops & ~drops
    out.looping_pairs += int(pairs[loops].sum())
    out.unroutable_pairs += int(pairs[drops].sum())
    out.unknown_pairs += int(pairs[unknown].sum())


def _count(found: Explored, out: Outcomes, columns: I64, log: Log, bad: _Bad) -> None:
    _tally(out, _group_pairs(found, columns, log), bad, np.arange(len(log.group)))
    if found.sources.explicit:
        _count_labelled(found, out, columns, log, bad)


def _group_pairs(found: Explored, columns: I64, log: Log) -> I64:
    """Pairs behind each injection of a group into a column."""
    plan, groups = found.plan, found.sources.groups
    pairs = groups.n_senders[log.group] * plan.columns.n_members[columns[log.group_column]]
    place = np.full((len(columns), len(groups.switch)), -1, np.int64)
    place[log.group_column, log.group] = np.arange(len(log.group))
    same_column, same_group = _same_node(plan, groups.of_host, columns)
    at = place[same_column, same_group]
    np.subtract.at(pairs, at[at >= 0], 1)
    return pairs


def _same_node(plan: Plan, of_host: I64, columns: I64) -> tuple[I64, I64]:
    """(tile column, group) for every member and every grouped sender on the member's node."""
    node = plan.fabric.host_node.astype(np.int64)
    senders = np.flatnonzero(of_host >= 0)
    senders = senders[np.argsort(node[senders], kind="stable")]
    lo, hi = plan.columns.span(columns)
    dl = np.repeat(np.arange(len(columns)), hi - lo)
    member = plan.columns.members()[1][ranges(lo, hi)]
    first, last = (np.searchsorted(node[senders], node[member], side=side) for side in ("left", "right"))
    return np.repeat(dl, last - first), of_host[senders[ranges(first, last)]]


def _count_labelled(found: Explored, out: Outcomes, columns: I64, log: Log, bad: _Bad) -> None:
    """Pairs with labels of their own: the worst over the pair's labels and first classes."""
    plan, traffic = found.plan, found.plan.traffic
    hosts = np.flatnonzero(traffic.host_sends)
    node = plan.fabric.host_node.astype(np.int64)[hosts]
    paired = plan.columns.on[columns][None, :] & (node[:, None] != plan.columns.node[columns][None, :])
    bits = effective_labels(plan, hosts, columns)
    state = np.full((len(columns), plan.n_slots), -1, np.int64)
    state[np.concatenate(log.column), np.concatenate(log.slot)] = len(log.group) + np.arange(sum(map(len, log.slot)))
    loops, drops = np.zeros(paired.shape, np.bool_), np.zeros(paired.shape, np.bool_)
    unknown = paired & (labels_read(plan, hosts, columns) == 0)
    for i, h in enumerate(hosts.tolist()):
        for k in range(len(plan.lanes.label_names)):
            here = np.flatnonzero(paired[i] & (bits[i] >> np.uint32(k) & np.uint32(1)).astype(np.bool_))
            if not len(here):
                continue
            first = first_classes(plan, h, k)
            if first is None:
                unknown[i, here] = True
            elif not first:
                drops[i, here] = True
            for c in first or ():
                at = state[here, int(plan.fabric.host_up[h]) * plan.n_classes + c]
                loops[i, here] |= bad.loops[at]
                drops[i, here] |= bad.drops[at]
                unknown[i, here] |= bad.unknown[at]
    members = plan.columns.n_members[columns][None, :] * paired
    number = np.full(plan.fabric.n_hosts, -1, np.int64)
    number[hosts] = np.arange(len(hosts))
    own_column, own_host = _same_node(plan, number, columns)
    np.subtract.at(members, (own_host, own_column), paired[own_host, own_column].astype(np.int64))
    out.looping_pairs += int(members[loops].sum())
    out.unroutable_pairs += int(members[drops & ~loops].sum())
    out.unknown_pairs += int(members[unknown & ~drops & ~loops].sum())


def _locate(plan: Plan, out: Outcomes, found: Explored, columns: I64, log: Log, bad: _Bad) -> None:
    """Write down where packets end badly, and the links of forwarding loops."""
    slot = np.concatenate((np.full(len(log.group), -1, np.int64), *log.slot))
    dl = np.concatenate((log.group_column, *log.column))
    node = np.concatenate((found.sources.groups.switch[log.group], plan.link_dst[slot[len(log.group) :] // plan.n_classes]))
    for state in np.unique(np.concatenate(log.dropped)).tolist():
        at = int(node[state])
        link = int(slot[state]) // plan.n_classes if at >= plan.fabric.n_switches else -1
        out.faults.add(Fault(at, int(columns[dl[state]]), link))
    src, dst = np.concatenate(log.src), np.concatenate(log.dst)
    inside = bad.loops[src] & bad.loops[dst]
    core = can_loop(len(slot), dst[inside], src[inside]) & bad.loops  # on a loop, or between two
    looping = np.flatnonzero(core)
    for column in np.unique(dl[looping]).tolist():
        links = np.unique(slot[looping[dl[looping] == column]] // plan.n_classes)
        out.loops.setdefault(tuple(links.tolist()), []).append(int(columns[column]))
