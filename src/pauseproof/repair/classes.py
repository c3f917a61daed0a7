"""Fewest classes such that packets that rise at certain turns close no loop in any of them (Tagger).

A packet starts in class 0 and never goes down; a *rule* (class, turn) raises packets of that class at that turn to the next.
Where the dependencies of every class are acyclic there is no loop at all. On a Clos the turns are the bounces, from down to up;
in general any set will do that breaks the loops, and how many classes are needed is the most raises that a packet meets, plus
one. Greedy answers come first: the bounces; hop by hop, whatever turn would close a loop; class by class, a turn of each loop.
What is less is asked of z3.

Source: Hu et al., "Tagger: practical PFC deadlock prevention in data center networks", CoNEXT 2017.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pauseproof.repair.acyclic import Closure, disjoint_cycles
from pauseproof.repair.flows import Dependency, Flow, Rule, Turn, dependency_of, raised, solvable, turn_of
from pauseproof.routing.packets import Buffer


@dataclass(frozen=True)
class Raises:
    """``rules`` with ``classes`` classes; fewer than ``bound`` classes do not do. ``bounces``: the rules are the bounces."""

    rules: frozenset[Rule]
    classes: int
    bound: int
    bounces: bool = False


def fewest_classes(flows: Sequence[Flow], bounces: set[Turn], most: int, seconds: float) -> Raises | None:
    """The rules with the fewest classes, None where more than ``most`` are needed by all that was tried."""
    until = time.monotonic() + seconds
    bound = 1 if acyclic(raised(flows, set(), 1)[0]) else 2
    found = [answer for answer in _greedy(flows, bounces, most, until) if answer is not None]
    best = min(found, key=lambda answer: (answer.classes, not answer.bounces, len(answer.rules)), default=None)
    ceiling = best.classes if best is not None else most + 1
    while bound < ceiling and solvable(flows) and (left := until - time.monotonic()) > 0:
        from pauseproof.repair.flow_solver import rules_of

        rules = rules_of(flows, bound, left)
        if rules is None:
            break
        if rules:
            return Raises(pruned(flows, rules, bound, until), bound, bound)
        bound += 1
    return None if best is None else Raises(best.rules, best.classes, bound, best.bounces)


def _greedy(flows: Sequence[Flow], bounces: set[Turn], most: int, until: float) -> Iterable[Raises | None]:
    every = frozenset((c, t) for c in range(most) for t in bounces)
    yield _checked(flows, every, most, until, bounces=True)
    yield _checked(flows, _hop_by_hop(flows, most), most, until)
    yield _checked(flows, _loop_by_loop(flows, most, until), most, until)


def _checked(
    flows: Sequence[Flow], rules: frozenset[Rule] | None, most: int, until: float, *, bounces: bool = False
) -> Raises | None:
    """The rules that some packet meets, with their number of classes; None where they do not do."""
    if rules is None:
        return None
    graphs, beyond = raised(flows, set(rules), most)
    if beyond or not acyclic(graphs):
        return None
    used = met(flows, rules, most)
    classes = max((c for c, _ in used), default=-1) + 2
    return Raises(used if bounces else pruned(flows, used, classes, until), classes, 1, bounces)


def met(flows: Iterable[Flow], rules: Iterable[Rule], classes: int) -> frozenset[Rule]:
    """The rules that some packet meets."""
    given, out = set(rules), set[Rule]()
    for flow in flows:
        seen = {(q, 0) for q in flow.starts}
        todo = list(seen)
        while todo:
            q, c = todo.pop()
            for after in flow.after[q]:
                rule = c, turn_of(q, after)
                out |= {rule} & given
                key = after, min(c + (rule in given), classes - 1)
                if key not in seen:
                    seen.add(key)
                    todo.append(key)
    return frozenset(out)


def pruned(flows: Sequence[Flow], rules: Iterable[Rule], classes: int, until: float) -> frozenset[Rule]:
    """The rules without those that can be left out, one after the other, as long as there is time."""
    kept = set(met(flows, rules, classes))
    for rule in sorted(kept):
        if time.monotonic() > until:
            break
        graphs, beyond = raised(flows, kept - {rule}, classes)
        if not beyond and acyclic(graphs):
            kept.discard(rule)
    return met(flows, kept, classes)


def acyclic(graphs: Iterable[set[Dependency]]) -> bool:
    """Has none of the graphs a cycle?"""
    return not any(cycles_of(graph) for graph in graphs)


def cycles_of(graph: Iterable[Dependency]) -> list[list[Dependency]]:
    """Cycles of buffers no two of which share a dependency."""
    graph = sorted(graph)
    names = sorted({b for pair in graph for b in pair})
    number = {b: i for i, b in enumerate(names)}
    cycles = disjoint_cycles((number[a], number[b]) for a, b in graph)
    return [[(names[a], names[b]) for a, b in cycle] for cycle in cycles]


def turns_by_dependency(flows: Iterable[Flow]) -> dict[Dependency, Turn]:
    """The turn at which packets wait so."""
    return {dependency_of(q, after): turn_of(q, after) for flow in flows for q, after in flow.steps()}


def _loop_by_loop(flows: Sequence[Flow], most: int, until: float) -> frozenset[Rule] | None:
    """Class by class: as long as there are loops, raise in each at the turn that the fewest columns make."""
    turn = turns_by_dependency(flows)
    use = carried(flows)
    rules: set[Rule] = set()
    for c in range(most):
        while cycles := cycles_of(raised(flows, rules, c + 1)[0][c]):
            if c == most - 1 or time.monotonic() > until:
                return None
            rules |= {(c, min((turn[pair] for pair in cycle), key=lambda t: (use[t], t))) for cycle in cycles}
    return frozenset(rules)


def carried(flows: Iterable[Flow]) -> dict[Turn, int]:
    """How many flows make each turn."""
    out: dict[Turn, int] = {}
    for flow in flows:
        for turn in {turn_of(q, after) for q, after in flow.steps()}:
            out[turn] = out.get(turn, 0) + len(flow.columns)
    return out


def _hop_by_hop(flows: Sequence[Flow], most: int) -> frozenset[Rule] | None:
    """Tagger's greedy merge: turns in the order of hops, each kept in its class as long as that stays acyclic, else raised."""
    number: dict[Buffer, int] = {}
    for flow in flows:
        for q in sorted({*flow.after, *(after for _, after in flow.steps())}):
            number.setdefault((q[0], q[1]), len(number))
    closures = [Closure(len(number)) for _ in range(most)]
    rules, settled = set[Rule](), set[Rule]()
    layer = [(i, q, 0) for i, flow in enumerate(flows) for q in flow.starts]
    seen = set(layer)
    while layer:
        steps = sorted((c, turn_of(q, after), i, q, after) for i, q, c in layer for after in flows[i].after[q])
        layer = []
        for c, turn, i, q, after in steps:
            a, b = dependency_of(q, after)
            rule = c, turn
            if rule not in rules and rule not in settled:
                (settled if closures[c].takes([(number[a], number[b])]) else rules).add(rule)
            rises = c + (rule in rules)
            if rises == most:
                return None
            if (i, after, rises) not in seen:
                seen.add((i, after, rises))
                layer.append((i, after, rises))
    return frozenset(rules)
