"""Who injects what at which switch: senders that a switch treats alike form one group, so host pairs are never enumerated."""

from dataclasses import dataclass

import numpy as np

from pauseproof.dependency.plan import I64, MIXED, Bools, Groups, Plan, first_classes

_NO_NODE = -9  # unlike every node, and unlike MIXED


@dataclass(frozen=True)
class Sources:
    """All that enters the fabric.

    ``groups`` covers senders whose packets carry one label. ``first`` [H] lists each host's first classes: several where its
    map is unknown and anything is assumed, none where the packet is dropped at once, None where it is unknown; ``classes``
    [H, W] are the same with -1 for no more. ``lone`` are sending hosts that are cabled to another host. With per-pair labels
    (``explicit``) hosts are in no group: each (host, column, label) is a state of its own.
    """

    groups: Groups
    first: list[list[int] | None]
    classes: I64
    lone: I64
    explicit: bool


def find_sources(plan: Plan) -> Sources:
    """Group the senders of the plan's traffic."""
    fabric, traffic = plan.fabric, plan.traffic
    explicit = traffic.labels is not None
    first, classes = _first_by_host(plan)
    up = fabric.host_up.astype(np.int64)
    at = plan.link_dst[up] if len(up) else up
    sending = np.flatnonzero(traffic.host_sends)
    lone = sending[at[sending] >= fabric.n_switches]
    grouped = (at[sending] < fabric.n_switches) & (classes[sending] >= 0).any(axis=1)
    hosts = sending[:0] if explicit else sending[grouped]
    of_host = np.full(fabric.n_hosts, -1, np.int64)
    key = _group_key(plan, hosts, at, up, classes)
    _, lead, inverse = np.unique(key, return_index=True, return_inverse=True)
    of_host[hosts] = inverse
    leaders = hosts[lead]
    switches = np.flatnonzero(traffic.switch_sends).astype(np.int64)
    of_switch = np.full(fabric.n_switches, -1, np.int64)
    of_switch[switches] = len(leaders) + np.arange(len(switches))
    solo, count = _solo(fabric.host_node.astype(np.int64)[hosts], inverse, len(leaders))
    label_class = plan.classes.first_of_label[traffic.label]
    groups = Groups(
        np.concatenate((at[leaders], switches)),
        np.concatenate((np.where(count == 1, up[leaders], -1), np.full(len(switches), -1))),
        np.concatenate((plan.link_dst_port[up[leaders]], np.zeros(len(switches), np.int64))),
        np.concatenate((classes[leaders, :1].ravel(), np.full(len(switches), label_class))),
        np.concatenate((solo, switches)),
        np.concatenate((count, np.ones(len(switches), np.int64))),
        of_host,
        of_switch,
    )
    return Sources(groups, first, classes, lone.astype(np.int64), explicit)


def _first_by_host(plan: Plan) -> tuple[list[list[int] | None], I64]:
    """First classes of each host for the traffic's one label, as lists and padded with -1; those of one row are alike."""
    _, host, row = np.unique(plan.lanes.host_row, return_index=True, return_inverse=True)
    answers = [first_classes(plan, h, plan.traffic.label) for h in host.tolist()]
    width = max([len(classes or ()) for classes in answers], default=0)
    padded = np.array([[*(c or ()), *[-1] * (width - len(c or ()))] for c in answers], np.int64).reshape(len(answers), width)
    return [answers[r] for r in row.tolist()], padded[row]


def _group_key(plan: Plan, hosts: I64, at: I64, up: I64, classes: I64) -> I64:
    """One number for senders at the same switch with the same label and the same lane maps."""
    label = plan.classes.label[classes[hosts, :1].ravel()]
    key: I64 = at[hosts] * len(plan.lanes.label_names) + label
    if plan.lanes.turn_row is not None and len(hosts):
        rows = plan.lanes.turn_row[at[hosts], plan.link_dst_port[up[hosts]]]
        alike = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        key = key * (int(alike.max()) + 1) + alike
    return key


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
