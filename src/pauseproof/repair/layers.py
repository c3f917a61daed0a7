"""Fewest lanes: sets of edges shared out over layers so that no layer holds a cycle.

Each path is given a layer, and with it the edges between its successive links; the union of the edges of a layer must be
acyclic. So do LASH (Skeie, Lysne, Theiss, IPDPS 2002: paths one by one into the first layer that takes them) and DFSSSP
(Domke, Hoefler, Nagel, IPDPS 2011, who show that the least number is NP-hard to find). The greedy answer here is LASH's, in
several orders; what is less is asked of z3, and whatever it refutes is a lower bound.

Notation: ``m`` a set of edges as bits, ``v`` a layer.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from pauseproof.repair.acyclic import Closure, Edge, bits, on_cycles

ROUNDS = 100  # of the greedy search
SOME, MORE = 40, 20  # sets that z3 is asked about, and how many more each time


@dataclass(frozen=True)
class Layering:
    """``layer`` [n] of each set; there is no layering with fewer than ``bound`` layers."""

    layer: tuple[int, ...]
    bound: int

    @property
    def layers(self) -> int:
        """How many layers are used."""
        return max(self.layer, default=0) + 1


def fewest_layers(edges: Sequence[Edge], sets: Sequence[int], fixed: int, most: int, seconds: float) -> Layering | None:
    """Layers for ``sets``, with the edges ``fixed`` in layer 0 whatever else is there; None where ``most`` do not do.

    >>> ring = [(0, 1), (1, 2), (2, 0)]
    >>> fewest_layers(ring, [0b001, 0b010, 0b100], 0, 8, 1.0).layers
    2
    """
    until = time.monotonic() + seconds
    compact = _Compact.of(edges)
    if not sets:
        return Layering((), 1) if compact.fits([fixed]) else None
    kept, stands_for = largest(sets)
    if not compact.fits([fixed]) or not all(compact.fits([m]) for m in kept):
        return None
    bound = 1 if compact.fits([fixed, *kept]) else 2
    best = _greedy(compact, kept, fixed, bound, until)
    if best is None:
        return None
    best, bound = _solved(compact, kept, fixed, best, bound, until)
    if max(best) >= most:
        return None
    return Layering(tuple(best[i] for i in stands_for), bound)


def acyclic(edges: Sequence[Edge], m: int) -> bool:
    """Do the edges of the set ``m`` close no cycle?

    >>> acyclic([(0, 1), (1, 0)], 0b01), acyclic([(0, 1), (1, 0)], 0b11)
    (True, False)
    """
    return _Compact.of(edges).fits([m])


def largest(sets: Sequence[int]) -> tuple[list[int], list[int]]:
    """The sets that lie in no other, ascending, and for each of ``sets`` the index of one of these that it lies in.

    >>> largest([0b1, 0b11, 0b100])
    ([3, 4], [0, 0, 1])
    """
    kept: list[int] = []
    holding: dict[int, list[int]] = {}
    found: dict[int, int] = {}
    for m in sorted(set(sets), key=lambda m: (-m.bit_count(), m)):
        near = [holding.get(e, []) for e in bits(m)]
        within = next((k for k in (min(near, key=len) if near else kept) if m & k == m), None)
        if within is None:
            kept.append(m)
            for e in bits(m):
                holding.setdefault(e, []).append(m)
        found[m] = m if within is None else within
    kept.sort()
    at = {m: i for i, m in enumerate(kept)}
    return kept, [at[found[m]] for m in sets]


def _greedy(compact: "_Compact", sets: Sequence[int], fixed: int, bound: int, until: float) -> list[int] | None:
    """The best of a few orders, then of orders layer by layer; None where there is no time for a single one.

    Sets that share a layer, taken one after the other, find room in as many layers as there were before them, or in fewer; so
    taking layers in another order never needs more (Culberson's iterated greedy for colourings).
    """
    tried = [layer for order in _orders(compact.edges, sets) if (layer := compact.in_order(order, sets, fixed, until))]
    best = min(tried, key=max, default=None)
    random = Random(0)
    for turn in range(ROUNDS):
        if best is None or max(best) + 1 <= bound:
            break
        groups = [[i for i, v in enumerate(best) if v == layer] for layer in range(max(best) + 1)]
        groups.reverse() if turn % 3 else random.shuffle(groups)
        again = compact.in_order([i for group in groups for i in group], sets, fixed, until)
        if again is None:
            break
        best = again
    return best


def _orders(edges: Sequence[Edge], sets: Sequence[int]) -> Iterator[list[int]]:
    """Orders in which to put the sets into layers: long ones first, by their last edge, those with much used edges first."""
    plain = list(range(len(sets)))
    yield sorted(plain, key=lambda i: (-sets[i].bit_count(), sets[i]))
    yield plain
    use = [0] * len(edges)
    for m in sets:
        for e in bits(m):
            use[e] += 1
    yield sorted(plain, key=lambda i: (-max((use[e] for e in bits(sets[i])), default=0), sets[i]))


@dataclass(frozen=True)
class _Compact:
    """Edges with their ends renumbered 0..n-1."""

    n: int
    edges: tuple[Edge, ...]

    @classmethod
    def of(cls, edges: Sequence[Edge]) -> "_Compact":
        number = {x: i for i, x in enumerate(sorted({x for edge in edges for x in edge}))}
        return cls(len(number), tuple((number[a], number[b]) for a, b in edges))

    def fits(self, sets: Sequence[int]) -> bool:
        """Is the union of the sets acyclic?"""
        union = 0
        for m in sets:
            union |= m
        after: dict[int, set[int]] = {}
        for e in bits(union):
            after.setdefault(self.edges[e][0], set()).add(self.edges[e][1])
        return not on_cycles(after)

    def in_order(self, order: Sequence[int], sets: Sequence[int], fixed: int, until: float) -> list[int] | None:
        """Each set, in this order, into the first layer that takes it; None where time is up."""
        layers = [(Closure(self.n), [fixed])]
        layers[0][0].takes([self.edges[e] for e in bits(fixed)])
        layer = [0] * len(sets)
        for i in order:
            if time.monotonic() > until:
                return None
            layer[i] = self._place(sets[i], layers)
        return layer

    def completed(
        self, sets: Sequence[int], layer: dict[int, int], others: Sequence[int], fixed: int, k: int
    ) -> dict[int, int]:
        """``layer`` with those of ``others`` that find room beside the sets in it."""
        layers = [(Closure(self.n), [fixed if v == 0 else 0]) for v in range(k)]
        for i, v in layer.items():
            layers[v][1][0] |= sets[i]
        for closure, held in layers:
            closure.takes([self.edges[e] for e in bits(held[0])])
        out = dict(layer)
        for i in others:
            for v, (closure, held) in enumerate(layers):
                if closure.takes([self.edges[e] for e in bits(sets[i] & ~held[0])]):
                    held[0] |= sets[i]
                    out[i] = v
                    break
        return out

    def _place(self, m: int, layers: list[tuple[Closure, list[int]]]) -> int:
        for v in range(len(layers) + 1):
            if v == len(layers):
                layers.append((Closure(self.n), [0]))
            closure, held = layers[v]
            if closure.takes([self.edges[e] for e in bits(m & ~held[0])]):
                held[0] |= m
                return v
        raise AssertionError("an empty layer takes every acyclic set")


def _solved(
    compact: _Compact, sets: Sequence[int], fixed: int, best: list[int], bound: int, until: float
) -> tuple[list[int], int]:
    """What z3 says in time: are the fewest possible enough, and if not one more; then, are less than the best."""
    while max(best) + 1 > bound and (answer := _exactly(compact, sets, fixed, bound, _half(until))) is not None:
        if answer:
            return answer, bound
        bound += 1
    while max(best) > bound and (answer := _exactly(compact, sets, fixed, max(best), _half(until))) is not None:
        if not answer:
            return best, max(best) + 1
        best = answer
    return best, bound


def _half(until: float) -> float:
    return (until - time.monotonic()) / 2


def _exactly(compact: _Compact, sets: Sequence[int], fixed: int, k: int, seconds: float) -> list[int] | None:
    """``k`` layers for all sets, an empty list where there are none, None where time is up.

    z3 is asked about a few sets at first, the long ones; those that then find no room come in too, and it is asked again.
    """
    from pauseproof.repair.solver import layers_of

    until = time.monotonic() + seconds
    order = sorted(range(len(sets)), key=lambda i: (-sets[i].bit_count(), sets[i]))
    asked, others = order[:SOME], order[SOME:]
    while (left := until - time.monotonic()) > 0:
        answer = layers_of(compact.edges, [sets[i] for i in asked], fixed, k, left)
        if not answer:
            return answer
        layer = compact.completed(sets, dict(zip(asked, answer, strict=True)), others, fixed, k)
        if not (homeless := [i for i in others if i not in layer]):
            return [layer[i] for i in range(len(sets))]
        asked += homeless[:MORE]
        others = [i for i in others if i not in homeless[:MORE]]
    return None
