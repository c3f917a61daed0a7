from random import Random

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hashed_by_hand import Carried, Tiny, address, carried
from pauseproof.deadlock.realize import Clock, Decided, Realizer
from pauseproof.deadlock.realize_bits import Draw
from pauseproof.deadlock.realize_ends import Endpoints
from pauseproof.deadlock.realize_solve import Proof
from pauseproof.deadlock.realize_tables import How, tables_of_rows, tables_of_states
from pauseproof.deadlock.realize_ways import Dependency, Turn
from pauseproof.dependency.graph import Dependencies, dependencies
from pauseproof.dependency.plan import compact_classes, labels_sent
from pauseproof.dependency.rows import plain_lane, walk_rows
from pauseproof.dependency.states import explore
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.selection import Selection, buckets, modulo, threshold
from pauseproof.routing.network import Network
from strategies import Case, PlainCase, anything, plain, sane


class Picks:
    """Random hashes: few different ones, so that switches often share one; one switch's is not known now and then."""

    def __init__(self, seed: int) -> None:
        random = self.random = Random(seed)
        sizes = [random.choice((8, 8, 256)) for _ in range(2)]
        tables = [tuple(random.getrandbits(random.choice((2, 4, 16, 31))) for _ in range(n)) for n in sizes]
        self.functions = [Tiny(random.choice(tables), random.getrandbits(2)) for _ in range(3)]
        self.free_of = [random.choice((0, 0, 1)) for _ in range(16)]
        self.unread = random.choice((-1, -1, -1, 0, 1))
        self.kinds = [random.choice("mmmtwb") for _ in range(8)]

    def free(self, host: int) -> int:
        return self.free_of[host % 16]

    def pick(self, switch: int, size: int) -> tuple[Tiny, Selection] | None:
        if switch == self.unread:
            return None
        return self.functions[switch % 3], self.selection(switch, size)

    def selection(self, switch: int, size: int) -> Selection:
        kind = self.kinds[switch % 8]
        weights = tuple(1 + (switch + i) % 3 for i in range(size))
        if kind == "t":
            return threshold(size, weights)
        if kind == "b":
            return buckets([(i * 7 + switch) % size for i in range(size + 3)], size, value_bits=16)
        return modulo(size, weights if kind == "w" else ())

    def draws(self, turn: Turn) -> tuple[Draw, ...] | None:
        picked = self.pick(turn.switch, len(turn.group))
        if picked is None:
            return None
        function, selection = picked
        wanted = (turn.group.index(turn.link),)
        return (Draw(function, 0, selection, wanted),)

    def by_port(self, switch: int) -> bool:
        return False

    def ends(self, network: Network) -> Endpoints:
        hosts = np.arange(network.fabric.n_hosts)
        low = np.array([address(h, self.free(h)) for h in hosts.tolist()], np.uint64)
        free = np.array([self.free(h) for h in hosts.tolist()], np.int64)
        node = network.fabric.host_node.astype(np.int64)
        return Endpoints(4, hosts, node, np.full(len(hosts), -1), low & np.uint64(0), low, free, [()] * len(hosts))


def decided(graph: Dependencies, realizer: Realizer) -> dict[Dependency, Decided]:
    ends = zip(graph.source.tolist(), graph.target.tolist(), graph.committed.tolist(), strict=True)
    asked = [(graph.link_lane(a), graph.link_lane(b)) for a, b, alone in ends if alone]
    return {e: realizer.decide(e) for e in asked}


UNIVERSAL = {Proof.SAME, Proof.COMBINATION, Proof.VALUES}


def same(found: dict[Dependency, Decided], expected: Carried, picks: Picks) -> None:
    """Packets whose headers the reference does not know may turn out to be impossible whatever these are."""
    for e, one in found.items():
        truth = True if e in expected.surely else None if e in expected.perhaps else False
        proofs = {refutation.proof for refutation in one.refutations}
        assert one.routable is truth or (truth is None and one.routable is False and proofs & UNIVERSAL), (e, one)
        for refutation in one.refutations:
            if refutation.proof in UNIVERSAL:
                assert not any(taken(refutation.turns, h, picks) for h in EVERY_TINY)


EVERY_TINY = [roce(4, (0, x & 7), (0, x >> 3 & 7), x >> 6) for x in range(256)]


def taken(turns: tuple[Turn, ...], h: Headers, picks: Picks) -> bool:
    """Whether a packet with this header takes all turns the hash of which is known."""
    draws = [draw for turn in turns if turn.how is How.HASHED for draw in picks.draws(turn) or ()]
    return all(draw.holds(h)[0] for draw in draws)


@settings(deadline=None)
@given(st.one_of(anything(), sane()), st.integers(0, 999))
def test_what_is_routable_is_what_some_header_carries(case: Case, seed: int) -> None:
    picks = Picks(seed)
    found = explore(case.network, case.traffic)
    graph = dependencies(found)
    realizer = Realizer(tables_of_states(found, case.network), picks, picks.ends(case.network), Clock(None))
    buffers = frozenset(map(graph.link_lane, range(graph.n_buffers)))
    same(decided(graph, realizer), carried(case.network, case.traffic, picks.pick, picks.free, buffers), picks)


@settings(deadline=None)
@given(plain(), st.integers(0, 999))
def test_rows_of_bits_are_realized_like_choices(case: PlainCase, seed: int) -> None:
    assume(plain_lane(case.rows, case.traffic) is not None)
    picks = Picks(seed)
    found = explore(case.choices, case.traffic)
    graph = dependencies(found)
    classes = compact_classes(case.rows.lanes, labels_sent(case.rows, case.traffic, False), False)
    tables = tables_of_rows(walk_rows(case.rows, case.traffic), case.rows, classes)
    realizer = Realizer(tables, picks, picks.ends(case.rows), Clock(None))
    buffers = frozenset(map(graph.link_lane, range(graph.n_buffers)))
    same(decided(graph, realizer), carried(case.choices, case.traffic, picks.pick, picks.free, buffers), picks)
