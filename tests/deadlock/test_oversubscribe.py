"""Admissible rates against brute force: every set of senders, and a linear programme over single pairs."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import on_some
from pauseproof.deadlock.crossing import crossing
from pauseproof.deadlock.oversubscribe import Overload, overloads
from pauseproof.dependency.states import explore
from pauseproof.fabric.model import Fabric
from pauseproof.routing.packets import Source
from pauseproof.routing.tables import DestinationKind
from pauseproof.routing.walk import pairs, walk_pair
from strategies import Case, sane

Pair = tuple[int, int]


def pairs_over(case: Case) -> dict[tuple[int, int], set[Pair]]:
    """Buffer -> (sender, receiver) of the hosts' packets that can be in it, by following every pair."""
    found: dict[tuple[int, int], set[Pair]] = {}
    for source, column, member in pairs(case.network, case.traffic):
        if source.kind == "host" and member is not None:
            for link, lane, _ in walk_pair(case.network, case.traffic, source, column, member).states:
                found.setdefault((link, lane), set()).add((source.id, member))
    return found


def between_switches(fabric: Fabric, link: int) -> bool:
    return max(fabric.link(link).src, fabric.link(link).dst) < fabric.n_switches


def most(allowed: set[Pair], up: dict[int, Fraction], down: dict[int, Fraction]) -> Fraction:
    """The greatest total of admissible rates: by the cut theorem, the least cut over all sets of senders."""
    senders = sorted({s for s, _ in allowed})
    cuts = []
    for n in range(len(senders) + 1):
        for kept in combinations(senders, n):
            reached = {g for s, g in allowed if s in kept}
            cuts.append(
                sum((up[s] for s in senders if s not in kept), Fraction(0)) + sum((down[g] for g in reached), Fraction(0))
            )
    return min(cuts)


@on_some
@given(sane(), st.lists(st.sampled_from([10, 25, 40]), min_size=8, max_size=8), st.booleans())
def test_overloads_are_those_of_all_sets_of_senders(case: Case, speeds: list[int], known: bool) -> None:
    fabric = case.network.fabric
    speed = np.array([speeds[min(l, int(fabric.reverse[l])) % 8] for l in range(fabric.n_links)], np.float32)
    network = replace(case.network, fabric=replace(fabric, speed=speed if known else None))
    case = Case(network, case.traffic)
    over = pairs_over(case)
    found = explore(network, case.traffic)
    buffers = [b for b in sorted(over) if between_switches(fabric, b[0])][:4]
    rate = {l: Fraction(int(speed[l]) if known else 1) for l in range(fabric.n_links)}
    up = {h.id: rate[h.up] for h in fabric.hosts()}
    down = {h.id: rate[h.down] for h in fabric.hosts()}
    for buffer, told in zip(buffers, overloads(found, buffers), strict=True):
        allowed = over[buffer]
        assert told.relative != known
        assert Fraction(told.most) == most(allowed, up, down)
        assert told.possible == (most(allowed, up, down) > rate[buffer[0]])
        if told.possible:
            assert told.fewest
            assert_overloads(told, allowed, up, down)
            for few in combinations(sorted({s for s, _ in allowed}), len(told.senders) - 1):
                assert most({(s, g) for s, g in allowed if s in few}, up, down) <= rate[buffer[0]]


def assert_overloads(told: Overload, allowed: set[Pair], up: dict[int, Fraction], down: dict[int, Fraction]) -> None:
    sent, received = dict.fromkeys(up, 0.0), dict.fromkeys(down, 0.0)
    for s, g, rate in told.rates:
        assert (s, g) in allowed
        sent[s] += rate
        received[g] += rate
    assert sum(sent.values()) > told.rate
    assert all(sent[h] <= up[h] and received[h] <= down[h] for h in up)


@on_some
@given(sane())
def test_who_comes_by_is_who_a_walk_of_every_pair_finds(case: Case) -> None:
    network, traffic = case.network, case.traffic
    expected: dict[tuple[int, int], set[Pair]] = {}
    for source, column, member in pairs(network, traffic):
        if source.kind == "host" and network.destinations.kind[column] in (DestinationKind.HOST, DestinationKind.SWITCH):
            for link, lane, _ in walk_pair(network, traffic, Source("host", source.id), column, member).states:
                expected.setdefault((link, lane), set()).add((source.id, column))
    buffers = sorted(expected)
    inner = [b for b in buffers if between_switches(network.fabric, b[0])][:64]
    found = crossing(explore(network, traffic), inner)
    for buffer, told in zip(inner, found, strict=True):
        assert set(zip(told.host.tolist(), told.column.tolist(), strict=True)) == expected[buffer]
