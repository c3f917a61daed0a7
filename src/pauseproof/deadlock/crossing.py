"""Whose packets can be in a buffer: for each destination column, the hosts some packet of which comes by.

The state graph of the walk is written down column by column and followed back from the buffers asked for to where packets were
injected. Which of a column's members a packet is for does not matter on the way (:class:`Destinations`).

Notation: ``j`` a buffer asked for, a bit of a word; ``d`` a column; ``h`` a host that sends.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.deadlock.answers import Buffer
from pauseproof.dependency.plan import I64
from pauseproof.dependency.states import Explored, Log, Walker, tiles

MOST = 64  # buffers asked for at a time


class Crossing(NamedTuple):
    """Packets of ``host[i]`` for column ``column[i]`` can be in the buffer; by column, then host."""

    host: I64
    column: I64


def crossing(found: Explored, buffers: Sequence[Buffer]) -> list[Crossing]:
    """For each of at most MOST buffers at the end of a link between switches, who comes by."""
    plan = found.plan
    walker = Walker(found)
    on = np.flatnonzero(plan.columns.on)
    hits: list[list[tuple[I64, I64]]] = [[] for _ in buffers]
    for columns in tiles(plan, on):
        log = Log()
        walker.walk(columns, log)
        marks = _marked_back(found, log, buffers)
        for j in range(len(buffers)):
            host, dl = _senders(found, log, np.flatnonzero(marks >> np.uint64(j) & np.uint64(1)))
            others = plan.fabric.host_node[host] != plan.columns.node[columns[dl]]
            hits[j].append((host[others], columns[dl[others]]))
    return [_joined(parts) for parts in hits]


def _marked_back(found: Explored, log: Log, buffers: Sequence[Buffer]) -> NDArray[np.uint64]:
    """[ids]: bit ``j`` where packets of this state, or injection, can come to buffer ``j``."""
    plan = found.plan
    slot = np.concatenate((np.full(len(log.group), -1, np.int64), *log.slot))
    link, lane = slot // plan.n_classes, plan.classes.lane[slot % plan.n_classes]
    marks = np.zeros(len(slot), np.uint64)
    for j, (l, v) in enumerate(buffers):
        marks[(slot >= 0) & (link == l) & (lane == v)] |= np.uint64(1 << j)
    src = np.concatenate((np.zeros(0, np.int64), *log.src))
    dst = np.concatenate((np.zeros(0, np.int64), *log.dst))
    order = np.argsort(src, kind="stable")
    src, dst = src[order], dst[order]
    first = np.flatnonzero(np.append(True, src[1:] != src[:-1])) if len(src) else src
    while len(src):
        before = marks.copy()
        marks[src[first]] |= np.bitwise_or.reduceat(marks[dst], first)
        if np.array_equal(marks, before):
            break
    return marks


def _senders(found: Explored, log: Log, ids: I64) -> tuple[I64, I64]:
    """(host, tile column) of the injections among ``ids``, and of the links of hosts that are states of their own."""
    plan, groups = found.plan, found.sources.groups
    n = len(log.group)
    slot = np.concatenate((np.zeros(0, np.int64), *log.slot))
    dl = np.concatenate((np.zeros(0, np.int64), *log.column))
    hosts, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for i in ids[ids < n].tolist():
        members = np.flatnonzero(groups.of_host == log.group[i])
        hosts.append(members)
        columns.append(np.full(len(members), log.group_column[i]))
    states = ids[ids >= n] - n
    sender = plan.fabric.host_of_link[plan.reverse[slot[states] // plan.n_classes]].astype(np.int64)
    hosts.append(sender[sender >= 0])
    columns.append(dl[states][sender >= 0])
    return np.concatenate(hosts), np.concatenate(columns)


def _joined(parts: Sequence[tuple[I64, I64]]) -> Crossing:
    none = np.zeros(0, np.int64)
    host, column = (np.concatenate([none, *(part[i] for part in parts)]) for i in (0, 1))
    pairs = np.unique(np.stack((column, host), axis=1), axis=0)
    return Crossing(pairs[:, 1], pairs[:, 0])
