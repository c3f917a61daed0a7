"""Kind ``lossy``: the fewest turns at which packets of a lossless class become lossy, so that no loop is left.

Routes stay as they are. From such a turn on a packet has the DSCP of a class that never pauses: nobody waits for it, and it may
be dropped where there is congestion. The turns are those on loops. A minimum feedback arc set of the loops is such a set; fewer
may do, since a packet that became lossy on one loop is so on the next. The cost is the number of turns; which pairs are not
lossless any more is told.
"""

import time
from collections.abc import Iterator, Mapping, Sequence

from pauseproof.deadlock.answers import Analysis
from pauseproof.fabric.places import BadInput
from pauseproof.repair.alternative import Alternative, Budget, Change, NotOffered
from pauseproof.repair.classes import acyclic, carried, cycles_of, turns_by_dependency
from pauseproof.repair.dscp_plan import DscpPlan
from pauseproof.repair.flows import Flow, Turn, lossless_part, solvable, turn_of, turns_on_loops
from pauseproof.repair.label_plan import LOSSY, LabelPlan
from pauseproof.repair.lossy_bound import packing
from pauseproof.repair.raises import flows_or_reason
from pauseproof.repair.rewrites import Place3, RewriteLine, place_of, shown
from pauseproof.routing.ask import Asked
from pauseproof.routing.packets import State

KIND = "lossy"
SHOWN = 3
DROPS = "packets of {} of {} pairs may be dropped from these turns on: {}"


def alternatives(asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
    """One alternative with the fewest turns found, or why there is none."""
    flows = flows_or_reason(asked)
    if isinstance(flows, str):
        return [NotOffered(KIND, flows)]
    turns, bound = fewest_turns(flows, budget.left)
    bound = min(bound, 1) if analysis.adaptive else bound  # a loop of choices that stay open need not be stuck
    return [_alternative(asked, analysis, flows, turns, bound)]


def fewest_turns(flows: Sequence[Flow], seconds: float) -> tuple[set[Turn], int]:
    """Turns on loops that are enough, and a lower bound: greedily, then by z3 as long as there is time.

    >>> fewest_turns([], 1.0)
    (set(), 0)
    """
    until = time.monotonic() + seconds
    greedy = _greedy(flows, until)
    if len(greedy) < 2:
        return greedy, len(greedy)
    on_loops = turns_on_loops(flows)
    bound = max(1, packing(flows, on_loops, until))
    if bound == len(greedy) or not solvable(flows):
        return greedy, bound
    from pauseproof.repair.flow_solver import fewest_lossy

    return fewest_lossy(flows, on_loops, greedy, bound, until - time.monotonic())


def _greedy(flows: Sequence[Flow], until: float) -> set[Turn]:
    """In each loop that is left the turn that the fewest columns make; then none that can be left out, while there is time."""
    turn, use = turns_by_dependency(flows), carried(flows)
    chosen: set[Turn] = set()
    while cycles := cycles_of(lossless_part(flows, chosen)):
        chosen |= {min((turn[pair] for pair in cycle), key=lambda t: (use[t], t)) for cycle in cycles}
    for one in sorted(chosen, key=lambda t: (-use[t], t)):
        if time.monotonic() > until:
            break
        if acyclic([lossless_part(flows, chosen - {one})]):
            chosen.discard(one)
    return chosen


def _alternative(
    asked: Asked, analysis: Analysis, flows: Sequence[Flow], turns: set[Turn], bound: int
) -> Alternative | NotOffered:
    network = asked.network
    plan: DscpPlan | LabelPlan
    if network.class_facts is not None:
        plan = DscpPlan(asked, 1, min((turn[0][1] for turn in turns), default=0))
    else:
        plan = LabelPlan(asked, 1)
    names = _labels_at(flows)
    rewrites: dict[Place3, dict[str, str]] = {}
    for turn in sorted(turns):
        labels = [plan.name_of(k) for k in names[turn]]
        rewrites.setdefault(place_of(network.fabric, turn), {}).update(dict.fromkeys(labels, plan.lossy))
    try:
        after = plan.apply(rewrites)
    except BadInput as bad:
        return NotOffered(KIND, f"what would have to be declared does not hold together: {bad}")
    lost = lossy_pairs(asked, flows, turns)
    listed = ", ".join(sorted(lost)[:SHOWN]) + (", ..." if len(lost) > SHOWN else "")
    drops = DROPS.format(sum(lost.values()), analysis.outcomes.pairs, listed)
    files = {**after.files, "lossy-pairs.txt": "".join(f"{shown(words)}\n" for words in sorted(lost))}
    changes = tuple(_change(line) for line in after.lines)
    return Alternative(
        KIND, len(turns), "turns made lossy", bound, changes, after.network, after.traffic, (*after.assumptions, drops), files
    )


def _change(line: RewriteLine) -> Change:
    old, (new, *_) = [a for a, _ in line.change], [b for _, b in line.change]
    rewritten = f" ({new} from there on)" if new != LOSSY else ""
    machine = {"switch": line.at, "in": list(line.into), "out": list(line.out), "lossy": old}
    return Change(f"{line.turn_words}, packets with {' and '.join(old)} become lossy{rewritten}", machine)


def _labels_at(flows: Sequence[Flow]) -> dict[Turn, set[int]]:
    """The labels that packets have when they make each turn."""
    out: dict[Turn, set[int]] = {}
    for flow in flows:
        for q, after in flow.steps():
            out.setdefault(turn_of(q, after), set()).add(int(q[2]))
    return out


def lossy_pairs(asked: Asked, flows: Sequence[Flow], turns: set[Turn]) -> dict[str, int]:
    """``HOST to DESTINATION`` for each source and column some packet of which makes one of the turns; and how many pairs."""
    fabric, destinations, out = asked.network.fabric, asked.network.destinations, dict[str, int]()
    for link, d in sorted({(start[0], d) for start, d in _touched(flows, turns)}):
        source = fabric.every_link[link].src
        members = [g for g in destinations.members(d) if asked.traffic.host_receives[g] and fabric.host_node[g] != source]
        words = f"{fabric.node_name[source]} to {destinations.names[d]}"
        out[words] = out.get(words, 0) + len(members)
    return out


def _touched(flows: Sequence[Flow], turns: set[Turn]) -> Iterator[tuple[State, int]]:
    """(first state, column) of packets that make one of the turns."""
    for flow in flows:
        makes = {q: any(turn_of(q, after) in turns for after in following) for q, following in flow.after.items()}
        for start in flow.starts:
            met, todo = {start}, [start]
            while todo and not makes[todo[-1]]:
                for after in flow.after[todo.pop()]:
                    if after not in met:
                        met.add(after)
                        todo.append(after)
            if todo:
                yield from ((start, d) for d in flow.columns)


def loadable(asked: Asked, alternative: Alternative) -> Mapping[str, str]:
    """As of ``raises``, and a list of the pairs that are not lossless any more."""
    return alternative.files
