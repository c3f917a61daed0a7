"""One hop for many packets at once: from (switch, in-port, class, table value) to the slots that may come next.

Slots, classes, columns and values are as in ``plan``. By itself the table value decides over which links packets may go, and,
where it rewrites, in which column; the lane maps then decide in which class.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.dependency.plan import BY_TURN, I64, Plan
from pauseproof.fabric.lanes import LOSSY, NOT_OFFERED, UNKNOWN_ROW
from pauseproof.routing.tables import ChoiceKind

_DROPS = np.array([ChoiceKind.DROP, ChoiceKind.DEAD_PORT])
_KEEPS_AWAY = np.isin(np.arange(len(ChoiceKind)), (ChoiceKind.MULTICAST, ChoiceKind.DELIVER))  # never back where it came from


class Successors(NamedTuple):
    """``slot[i]`` may follow packet ``parent[i]``; ``dropped`` and ``unknown`` list packets that may end so.

    ``row[i]`` is the lane map that it took, UNKNOWN_ROW where guessed (None where maps do not matter); ``column[i]`` the column
    in which the tables see it from then on, -1 for its own (None: all of them).
    """

    parent: I64
    slot: I64
    dropped: I64
    unknown: I64
    row: I64 | None = None
    column: I64 | None = None


_NONE: I64 = np.zeros(0, np.int64)


def successors(plan: Plan, switch: I64, in_link: I64, in_port: I64, cls: I64, value: I64, column: I64) -> Successors:
    """The next slots of packets at ``switch`` whose table entry is ``value``; all arguments [n].

    ``in_link`` is -1 and ``in_port`` 0 for packets of the switch itself. A source group gives the in-port of one of its hosts,
    and as ``in_link`` that of its only host, -1 where it has several.
    """
    entry = switch * plan.n_values + value
    link = plan.next_link[entry]
    open_ended = np.flatnonzero(link < 0)
    members = _Members(np.arange(len(link)), link, None, _NONE, _NONE)
    if len(open_ended):
        members = _with_groups(plan, switch, in_link, entry, link, open_ended, column)
    if plan.plain:
        hop = Successors(members.parent, members.link, members.dropped, members.unknown)
    else:
        hop = _with_lanes(plan, members, switch, in_port, cls)
        hop = hop if plan.worst else _without_half_read_sets(plan, hop, plan.entry_choice[entry])
    return hop if plan.rewrite is None else hop._replace(column=plan.rewrite[plan.entry_choice[entry]][hop.parent])


class _Members(NamedTuple):
    """Packet ``parent[i]`` may leave over ``link[i]``, by the lane map ``row[i]`` (BY_TURN: that of the turn; None: all so)."""

    parent: I64
    link: I64
    row: I64 | None
    dropped: I64
    unknown: I64


def _with_groups(plan: Plan, switch: I64, in_link: I64, entry: I64, link: I64, open_ended: I64, column: I64) -> _Members:
    """Packets with a lone next link stay as they are; the others, ``open_ended``, are expanded behind them."""
    i = open_ended
    more = _expand(plan, switch[i], in_link[i], plan.entry_choice[entry[i]], column[i])
    lone = np.flatnonzero(link >= 0)
    row = None if more.row is None else np.concatenate((np.full(len(lone), BY_TURN), more.row))
    parent = np.concatenate((lone, i[more.parent]))
    return _Members(parent, np.concatenate((link[lone], more.link)), row, i[more.dropped], i[more.unknown])


def _expand(plan: Plan, switch: I64, in_link: I64, choice: I64, column: I64) -> _Members:
    """Packets to (packet, member link) pairs, for choices of every kind."""
    kind = plan.choice_kind[choice]
    count = plan.choice_ptr[choice + 1] - plan.choice_ptr[choice]
    stray = (kind == ChoiceKind.LOCAL) & (plan.columns.owner[column] != switch)
    empty = (count == 0) & np.isin(kind, (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE, ChoiceKind.MULTICAST))
    dropped = np.flatnonzero(np.isin(kind, _DROPS) | stray | empty)
    is_unknown = kind == ChoiceKind.UNKNOWN
    start, links, rows = plan.choice_ptr[choice], plan.choice_link, plan.choice_row
    if plan.worst and is_unknown.any():
        ptr, out = plan.switch_out
        count = np.where(is_unknown, ptr[switch + 1] - ptr[switch], count)
        start = np.where(is_unknown, ptr[switch] + len(links), start)
        rows = np.full(len(links), BY_TURN) if rows is None else rows
        links, rows = np.concatenate((links, out)), np.concatenate((rows, np.full(len(out), UNKNOWN_ROW)))
    parent = np.repeat(np.arange(len(choice)), count)
    at = start[parent] + np.arange(len(parent)) - (np.cumsum(count) - count)[parent]
    link = links[at]
    back = _KEEPS_AWAY[kind[parent]] & (in_link[parent] >= 0) & (link == plan.reverse[in_link[parent]])
    row = None if rows is None else rows[at[~back]]
    return _Members(parent[~back], link[~back], row, dropped, np.flatnonzero(is_unknown))


def _with_lanes(plan: Plan, members: _Members, switch: I64, in_port: I64, cls: I64) -> Successors:
    """Apply the lane map of each turn, or of each member: links to slots."""
    parent, link = members.parent, members.link
    before = cls[parent]
    row = np.zeros(len(parent), np.int64)
    if plan.lanes.turn_row is not None:
        row = plan.lanes.turn_row[switch[parent], in_port[parent], plan.link_src_port[link]].astype(np.int64)
    if members.row is not None:
        row = np.where(members.row == BY_TURN, row, members.row)
    after = plan.classes.step[row, before]
    open_map = row == UNKNOWN_ROW
    sure = ~open_map & (after >= 0)
    slot = link[sure] * plan.n_classes + after[sure]
    dropped = np.concatenate(
        (members.dropped, parent[~open_map & (after == LOSSY)], _left_with_nothing(parent, after, open_map))
    )
    unknown = np.concatenate((members.unknown, parent[open_map]))
    parent_of_slot, taken = parent[sure], row[sure]
    if plan.worst and open_map.any():
        lanes = plan.classes.any_lane[before[open_map]]
        guesses = (link[open_map][:, None] * plan.n_classes + lanes).ravel()
        slot = np.concatenate((slot, guesses))
        parent_of_slot = np.concatenate((parent_of_slot, np.repeat(parent[open_map], lanes.shape[1])))
        taken = np.concatenate((taken, np.full(len(guesses), UNKNOWN_ROW)))
    return Successors(parent_of_slot, slot, dropped, unknown, taken)


def _left_with_nothing(parent: I64, after: I64, open_map: NDArray[np.bool_]) -> I64:
    """Packets to which none of their choice's members is offered."""
    kept = ~open_map & (after == NOT_OFFERED)
    return np.setdiff1d(parent[kept], parent[~kept]) if kept.any() else _NONE


def _without_half_read_sets(plan: Plan, hop: Successors, choice: I64) -> Successors:
    """Do not follow adaptive choices some member of which was not read: a set without that member is stuck too easily."""
    half_read = np.zeros(len(choice), np.bool_)
    half_read[hop.unknown] = True
    half_read &= plan.choice_kind[choice] == ChoiceKind.ADAPTIVE
    if not half_read.any():
        return hop
    kept, dropped = ~half_read[hop.parent], hop.dropped[~half_read[hop.dropped]]
    return Successors(hop.parent[kept], hop.slot[kept], dropped, hop.unknown, None if hop.row is None else hop.row[kept])
