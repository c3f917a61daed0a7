"""The way of one packet, and of many: against the walker where nothing is known, else against one step after the other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import headers
from hashing.reference import Packet
from pauseproof.hashing.headers import FIELDS, FIVE_TUPLE, Headers
from pauseproof.hashing.paths import NO_LINK, follow
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.hashing.trace import LANE_UNKNOWN, Question, trace
from pauseproof.readers.hash_lines import NOWHERE, DecisionLine, HashLine
from pauseproof.routing.hash_facts import HashFacts
from pauseproof.routing.network import Network
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from pauseproof.routing.walk import walk_pair
from strategies import Case, anything, sane

Pair = tuple[int, int, int]  # host, column, member


def pairs_of(network: Network) -> list[Pair]:
    fabric, destinations = network.fabric, network.destinations
    return [
        (h, d, g)
        for d in range(len(destinations))
        if destinations.kind[d] == DestinationKind.HOST
        for g in destinations.members(d)
        for h in range(fabric.n_hosts)
        if fabric.host_node[h] != fabric.host_node[g]
    ]


def far_apart(network: Network) -> Pair:
    """From the first host to the last."""
    return next(pair for pair in reversed(pairs_of(network)) if pair[0] == 0)


def hashing(network: Network, algorithm: str, fields: tuple[str, ...], seed: int) -> Network:
    """The network with one hash everywhere."""
    said: dict[str, str | int | bool | tuple[str, ...]] = {"algorithm": algorithm, "fields": fields, "seed": seed}
    line = DecisionLine(said, dict.fromkeys(said, NOWHERE))
    return replace(network, hashes=HashFacts(every=HashLine(line)))


def alone(network: Network, p: Packet, pair: Pair, k: int, fields: tuple[str, ...], seed: int) -> tuple[list[int], Outcome]:
    """The links of one packet and what becomes of it, with a table entry, a lane map and a hash value at a time."""
    fabric, lanes, (h, own, g) = network.fabric, network.lanes, pair
    mine = {int(fabric.host_down[m]) for m in network.destinations.members(own) if fabric.host_node[m] == fabric.host_node[g]}
    link, d, links, been = int(fabric.host_up[h]), own, list[int](), set[object]()
    try:
        after = lanes.after_host(h, k)
        while True:
            if after is None:
                return links, Outcome.UNROUTABLE
            k = after[0]
            links.append(link)
            s = int(fabric.link_dst[link])
            if s >= fabric.n_switches:
                return links, Outcome.ROUTED if link in mine else Outcome.UNROUTABLE
            if (link, after, d) in been:
                return links, Outcome.LOOPING
            been.add((link, after, d))
            route = network.routes.route(s, d)
            d = d if route.column < 0 else route.column
            if route.kind in (ChoiceKind.UNKNOWN, ChoiceKind.MULTICAST):
                return links, Outcome.UNKNOWN
            offered = [(l, r) for l, r in zip(route.links, route.rows or [-1] * len(route.links), strict=True)]
            offered = [(l, r) for l, r in offered if r < 0 or lanes.offers(r, k)]
            if route.kind == ChoiceKind.DELIVER:
                offered = [(l, r) for l, r in offered if l in mine]
            ways = sorted({l for l, _ in offered})
            if not ways:
                return links, Outcome.UNROUTABLE
            in_port = int(fabric.link_dst_port[link])
            if len(ways) > 1 and route.kind == ChoiceKind.ADAPTIVE:
                return links, Outcome.UNKNOWN
            link = ways[reference.rtag7(p._replace(in_port=in_port), "crc16", fields, seed) % len(ways)]
            rows = {r for l, r in offered if l == link}
            if len(offered) > len(ways):
                return links, Outcome.UNKNOWN
            (row,) = rows
            after = lanes.after_row(row, k) if row >= 0 else lanes.after_turn(s, in_port, int(fabric.link_src_port[link]), k)
    except KeyError:
        return links, Outcome.UNKNOWN


@settings(max_examples=100, deadline=None)
@given(st.one_of(anything(), sane()), st.integers(0, 50))
def test_with_nothing_known_it_is_the_walker(case: Case, which: int) -> None:
    network, traffic = case
    pairs = pairs_of(network)
    assume(pairs)
    h, d, g = pairs[which % len(pairs)]
    found = trace(network, hashes_of(network), traffic, Question(h, g, d))
    walked = walk_pair(network, traffic, Source("host", h), d, g)
    assume(not any(hop.kind is ChoiceKind.ADAPTIVE and LANE_UNKNOWN in hop.ends for hop in found.hops))  # walked no further
    assert {hop.q for hop in found.hops} == walked.states
    assert found.outcome == walked.outcome
    assert all(hop.chosen is None or hop.chosen.why for hop in found.hops)


@settings(max_examples=60, deadline=None)
@given(
    *(st.one_of(anything(), sane()), st.integers(0, 3), st.integers(0, 2**32 - 1), st.integers(0xC000, 0xFFFF)),
    st.lists(st.sampled_from(FIELDS), unique=True, min_size=1).map(tuple),
)
def test_with_everything_known_it_is_one_step_after_the_other(
    case: Case, k: int, seed: int, sport: int, fields: tuple[str, ...]
) -> None:
    network, pairs = hashing(case.network, "crc16", fields, seed), pairs_of(case.network)[:40]
    assume(pairs)
    k %= len(network.lanes.label_names)
    packets = [Packet(4, 0x0A000000 + h, 0x0A000100 + g, sport=sport - d % 2, qp=99) for h, d, g in pairs]
    hashes, h = hashes_of(network), headers(packets)
    src, column, dst = (np.array(part, np.int32) for part in zip(*pairs, strict=True))
    found = follow(network, hashes, h, src, dst, column, np.full(len(pairs), k, np.int32))
    for i, (pair, packet) in enumerate(zip(pairs, packets, strict=True)):
        links, outcome = alone(network, packet, pair, k, fields, seed)
        assert [l for l in found.links[i].tolist() if l != NO_LINK] == links
        assert found.outcome[i] == outcome
    one_by_one(network, case, hashes, pairs, h, k, found.outcome)


def one_by_one(
    network: Network, case: Case, hashes: FabricHashes, pairs: list[Pair], h: Headers, k: int, outcomes: np.ndarray
) -> None:
    """The trace of a packet says the same where there is one way; it follows one link in several lanes, the arrays do not."""
    for i, (source, d, g) in enumerate(pairs[:8]):
        asked = Question(source, g, d, h.rows([i]), frozenset(FIELDS), k)
        found = trace(network, hashes, case.traffic, asked)
        if found.certain:
            assert outcomes[i] in (found.outcome, Outcome.UNKNOWN)


def test_loops_and_more_hops_than_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    from pauseproof.hashing import trace as module
    from pauseproof.routing.native import load_native

    loop = load_native("topologies/forwarding-loop.yaml")
    outcomes = {trace(loop, hashes_of(loop), loop.traffics["hosts"], Question(h, g, d)).outcome for h, d, g in pairs_of(loop)}
    assert Outcome.LOOPING in outcomes
    wide = load_native("topologies/leaf-spine.yaml")
    h, d, g = far_apart(wide)
    monkeypatch.setattr(module, "MOST_HOPS", 3)
    found = trace(wide, hashes_of(wide), wide.traffics["hosts"], Question(h, g, d))
    assert found.cut and found.outcome == Outcome.UNKNOWN and len(found.hops) == 3


def test_what_was_not_given_is_named() -> None:
    from pauseproof.routing.native import load_native

    network = hashing(load_native("topologies/leaf-spine.yaml"), "crc16", FIVE_TUPLE, 0)
    h, d, g = far_apart(network)
    given = frozenset(FIVE_TUPLE) - {"l4-src-port"}
    asked = Question(h, g, d, headers([Packet(4, 1, 2)]), given)
    found = trace(network, hashes_of(network), network.traffics["hosts"], asked)
    whys = {why for hop in found.hops if hop.chosen for why in hop.chosen.why}
    assert whys == {"ecmp hashes l4-src-port, which was not given"}
    known = trace(network, hashes_of(network), network.traffics["hosts"], replace(asked, given=frozenset(FIVE_TUPLE)))
    assert known.certain and [len(hop.chosen.picks) for hop in known.hops if hop.chosen] == [1, 1]
