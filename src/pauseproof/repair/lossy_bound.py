"""How many turns must be lossy at least: loops that rest on different turns.

A loop stands as long as packets come to each of its dependencies: it rests on the turns of one walk to each, and a set of lossy
turns that breaks it holds one of these. Loops that rest on disjoint turns need a turn each (a packing).
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from pauseproof.repair.classes import cycles_of
from pauseproof.repair.flows import Dependency, Flow, Turn, dependency_of, turn_of
from pauseproof.routing.packets import State


class _Walk(NamedTuple):
    """The last step of a walk in a flow, and how many of the turns that may be lossy are on it."""

    flow: int
    q: State
    after: State
    turns: int


def packing(flows: Sequence[Flow], some: set[Turn], until: float) -> int:
    """The number of loops found that rest on different turns of ``some``, on which all turns of loops must be."""
    gone, found = set[Turn](), 0
    while time.monotonic() < until:
        before, walks = _walks(flows, some, gone)
        cycles = cycles_of(walks)
        if not cycles:
            break
        for cycle in cycles:
            rests_on = {turn for pair in cycle for turn in _turns(walks[pair], before, some)}
            if not rests_on & gone:
                gone |= rests_on
                found += 1
    return found


_Before = list[dict[State, State | None]]


def _walks(flows: Sequence[Flow], some: set[Turn], gone: set[Turn]) -> tuple[_Before, dict[Dependency, _Walk]]:
    """By flow the state before each, None for the first; for each dependency a walk without the turns that are gone."""
    before: _Before = []
    walks: dict[Dependency, _Walk] = {}
    for i, flow in enumerate(flows):
        came: dict[State, State | None] = dict.fromkeys(flow.starts)
        turns, layer = dict.fromkeys(flow.starts, 0), list(flow.starts)
        while layer:
            onward = []
            for q in layer:
                for after in flow.after[q]:
                    turn = turn_of(q, after)
                    if turn in gone:
                        continue
                    walk = _Walk(i, q, after, turns[q] + (turn in some))
                    pair = dependency_of(q, after)
                    if pair not in walks or walk.turns < walks[pair].turns:
                        walks[pair] = walk
                    if after not in came:
                        came[after], turns[after] = q, walk.turns
                        onward.append(after)
            layer = onward
        before.append(came)
    return before, walks


def _turns(walk: _Walk, before: _Before, some: set[Turn]) -> set[Turn]:
    out, q, after = set[Turn](), walk.q, walk.after
    while True:
        out.add(turn_of(q, after))
        earlier = before[walk.flow][q]
        if earlier is None:
            return out & some
        q, after = earlier, q
