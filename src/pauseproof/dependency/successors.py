"""One hop for many packets at once: from (switch, in-port, class, table value) to the slots that may come next."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.plan import I64, Plan
from pauseproof.fabric.lanes import LOSSY, UNKNOWN_ROW
from pauseproof.routing.tables import ChoiceKind

_DROPS = np.array([ChoiceKind.DROP, ChoiceKind.DEAD_PORT])
_KEEPS_AWAY = np.isin(np.arange(len(ChoiceKind)), (ChoiceKind.MULTICAST, ChoiceKind.DELIVER))  # never back where it came from


class Hop(NamedTuple):
    """``slot[i]`` may follow packet ``parent[i]``; ``dropped`` and ``unknown`` list packets that may end so."""

    parent: I64
    slot: I64
    dropped: I64
    unknown: I64


_NONE: I64 = np.zeros(0, np.int64)


def successors(plan: Plan, switch: I64, in_link: I64, in_port: I64, cls: I64, value: I64, column: I64) -> Hop:
    """The next slots of packets at ``switch`` whose table entry is ``value``; all arguments [n].

    ``in_link`` is -1 and ``in_port`` 0 for packets of the switch itself. A source group gives the in-port of one of its hosts,
    and as ``in_link`` that of its only host, -1 where it has several.
    """
    entry = switch * plan.n_values + value
    link = plan.next_link[entry]
    open_ended = np.flatnonzero(link < 0)
    parent, dropped, unknown, any_lane = np.arange(len(link)), _NONE, _NONE, None
    if len(open_ended):
        parent, link, dropped, unknown, any_lane = _with_groups(plan, switch, in_link, entry, link, open_ended, column)
    if plan.plain:
        return Hop(parent, link, dropped, unknown)
    hop = _with_lanes(plan, Hop(parent, link, dropped, unknown), switch, in_port, cls, any_lane)
    return hop if plan.worst else _without_half_read_sets(plan, hop, plan.entry_choice[entry])


def _with_groups(
    plan: Plan, switch: I64, in_link: I64, entry: I64, link: I64, open_ended: I64, column: I64
) -> tuple[I64, I64, I64, I64, NDArray[np.bool_] | None]:
    """Packets with a lone next link stay as they are; the others, ``open_ended``, are expanded behind them."""
    i = open_ended
    more = _expand(plan, switch[i], in_link[i], plan.entry_choice[entry[i]], column[i])
    parent, out, dropped, unknown, any_lane = more
    lone = np.flatnonzero(link >= 0)
    guessed = None if any_lane is None else np.concatenate((np.zeros(len(lone), np.bool_), any_lane))
    return np.concatenate((lone, i[parent])), np.concatenate((link[lone], out)), i[dropped], i[unknown], guessed


def _expand(
    plan: Plan, switch: I64, in_link: I64, choice: I64, column: I64
) -> tuple[I64, I64, I64, I64, NDArray[np.bool_] | None]:
    """Packets to (packet, member link) pairs, for choices of every kind."""
    kind = plan.choice_kind[choice]
    count = plan.choice_ptr[choice + 1] - plan.choice_ptr[choice]
    stray = (kind == ChoiceKind.LOCAL) & (plan.columns.owner[column] != switch)
    empty = (count == 0) & np.isin(kind, (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, ChoiceKind.MULTICAST))
    dropped = np.flatnonzero(np.isin(kind, _DROPS) | stray | empty)
    is_unknown = kind == ChoiceKind.UNKNOWN
    start, links = plan.choice_ptr[choice], plan.choice_link
    if plan.worst and is_unknown.any():
        ptr, out = plan.switch_out
        count = np.where(is_unknown, ptr[switch + 1] - ptr[switch], count)
        start = np.where(is_unknown, ptr[switch] + len(links), start)
        links = np.concatenate((links, out))
    parent = np.repeat(np.arange(len(choice)), count)
    first = np.cumsum(count) - count
    link = links[start[parent] + np.arange(len(parent)) - first[parent]]
    back = _KEEPS_AWAY[kind[parent]] & (in_link[parent] >= 0) & (link == plan.reverse[in_link[parent]])
    parent, link = parent[~back], link[~back]
    return parent, link, dropped, np.flatnonzero(is_unknown), is_unknown[parent] if plan.worst else None


def _with_lanes(plan: Plan, hop: Hop, switch: I64, in_port: I64, cls: I64, any_lane: NDArray[np.bool_] | None) -> Hop:
    """Apply the lane map of each turn: links to slots."""
    parent, link = hop.parent, hop.slot
    before = cls[parent]
    if plan.lanes.turn_row is None:
        row = np.zeros(len(parent), np.int64)
    else:
        row = plan.lanes.turn_row[switch[parent], in_port[parent], plan.link_src_port[link]].astype(np.int64)
    if any_lane is not None:
        row[any_lane] = UNKNOWN_ROW
    after = plan.classes.step[row, before]
    open_map = row == UNKNOWN_ROW
    lossy = ~open_map & (after == LOSSY)
    sure = ~open_map & ~lossy
    slot = link[sure] * plan.n_classes + after[sure]
    dropped = np.concatenate((hop.dropped, parent[lossy]))
    unknown = np.concatenate((hop.unknown, parent[open_map]))
    parent_of_slot = parent[sure]
    if plan.worst and open_map.any():
        lanes = plan.classes.any_lane[before[open_map]]
        guesses = (link[open_map][:, None] * plan.n_classes + lanes).ravel()
        slot = np.concatenate((slot, guesses))
        parent_of_slot = np.concatenate((parent_of_slot, np.repeat(parent[open_map], lanes.shape[1])))
    return Hop(parent_of_slot, slot, dropped, unknown)


def _without_half_read_sets(plan: Plan, hop: Hop, choice: I64) -> Hop:
    """Do not follow adaptive choices some member of which was not read: a set without that member is stuck too easily."""
    half_read = np.zeros(len(choice), np.bool_)
    half_read[hop.unknown] = True
    half_read &= plan.choice_kind[choice] == ChoiceKind.ADAPTIVE
    if not half_read.any():
        return hop
    kept, dropped = ~half_read[hop.parent], hop.dropped[~half_read[hop.dropped]]
    return Hop(hop.parent[kept], hop.slot[kept], dropped, hop.unknown)
