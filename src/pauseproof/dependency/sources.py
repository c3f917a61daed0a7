"""Who injects what at which switch: senders that a switch treats alike form one group, so host pairs are never enumerated."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.plan import I64, MIXED, Groups, Plan, first_classes

Bools = NDArray[np.bool_]
_NO_NODE = -9  # unlike every node, and unlike MIXED


@dataclass(frozen=True)
class Sources:
    """All that enters the fabric.

    ``groups`` covers senders whose packets carry one label. ``first`` [H] lists each host's first classes: several where its
    map is unknown and anything is assumed, none where the packet is dropped at once, None where it is unknown.
    ``lone`` are sending hosts that are cabled to another host. With per-pair labels (``explicit``) hosts are in no group:
    each (host, column, label) is a state of its own.
    """

    groups: Groups
    first: list[list[int] | None]
    lone: I64
    explicit: bool


def find_sources(plan: Plan) -> Sources:
    """Group the senders of the plan's traffic."""
    fabric, traffic = plan.fabric, plan.traffic
    explicit = traffic.labels is not None
    first = _first_by_host(plan)
    up = fabric.host_up.astype(np.int64)
    at = plan.link_dst[up] if len(up) else up
    sending = np.flatnonzero(traffic.host_sends)
    lone = sending[at[sending] >= fabric.n_switches]
    grouped = [] if explicit else [h for h in sending.tolist() if at[h] < fabric.n_switches and first[h]]
    hosts = np.array(grouped, np.int64)
    of_host = np.full(fabric.n_hosts, -1, np.int64)
    key = _group_key(plan, hosts, at, up, first)
    _, lead, inverse = np.unique(key, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    of_host[hosts] = inverse
    leaders = hosts[lead]
    switches = np.flatnonzero(traffic.switch_sends).astype(np.int64)
    of_switch = np.full(fabric.n_switches, -1, np.int64)
    of_switch[switches] = len(leaders) + np.arange(len(switches))
    solo, count = _solo(fabric.host_node.astype(np.int64)[hosts], inverse, len(leaders))
    label_class = plan.classes.first_of_label[traffic.label]
    lead_class = np.array([(first[h] or [label_class])[0] for h in leaders.tolist()], np.int64)
    groups = Groups(
        np.concatenate((at[leaders], switches)),
        np.concatenate((np.where(count == 1, up[leaders], -1), np.full(len(switches), -1))),
        np.concatenate((plan.link_dst_port[up[leaders]], np.zeros(len(switches), np.int64))),
        np.concatenate((lead_class, np.full(len(switches), label_class))),
        np.concatenate((solo, switches)),
        np.concatenate((count, np.ones(len(switches), np.int64))),
        of_host,
        of_switch,
    )
    return Sources(groups, first, lone.astype(np.int64), explicit)


def _first_by_host(plan: Plan) -> list[list[int] | None]:
    """First classes of each host for the traffic's one label; hosts with the same row share the answer."""
    rows = plan.lanes.host_row
    answer = {int(rows[h]): first_classes(plan, int(h), plan.traffic.label) for h in np.unique(rows, return_index=True)[1]}
    return [answer[r] for r in rows.tolist()]


def _group_key(plan: Plan, hosts: I64, at: I64, up: I64, first: list[list[int] | None]) -> I64:
    label = np.array([plan.classes.label[(first[h] or [0])[0]] for h in hosts.tolist()], np.int64)
    columns = [at[hosts], label]
    if plan.lanes.turn_row is not None and len(hosts):
        rows = plan.lanes.turn_row[at[hosts], plan.link_dst_port[up[hosts]]]
        columns.append(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64))
    return np.stack(columns, axis=1)


def _solo(node: I64, group: I64, n: int) -> tuple[I64, I64]:
    low, high = np.full(n, np.iinfo(np.int64).max), np.full(n, -1, np.int64)
    np.minimum.at(low, group, node)
    np.maximum.at(high, group, node)
    return np.where(low == high, high, MIXED), np.bincount(group, minlength=n).astype(np.int64)


def injected(plan: Plan, groups: Groups, columns: I64) -> Bools:
    """[T, G]: whether some sender of the group has a pair with some member of the column."""
    node = plan.columns.node[columns]
    ordinary = plan.columns.on[columns]
    to_itself: Bools = groups.solo[None, :] == np.where(node >= 0, node, _NO_NODE)[:, None]
    return ordinary[:, None] & ~to_itself
