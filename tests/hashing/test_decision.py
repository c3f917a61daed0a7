"""What a decision says of many packets at once, and of a packet as terms, against one packet after the other by hand."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.cases import headers, packets, some_fields, words32
from hashing.reference import Packet
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.headers import constants
from pauseproof.hashing.setting import Setting
from pauseproof.readers.hash_lines import LINUX
from pauseproof.routing.groups import Grouping, Member

ALGORITHMS = ("crc16", "ccitt", "crc32lo", "xor16", "crc16-xor4")


@st.composite
def chips(draw: st.DrawFn) -> Setting:
    return Setting(
        algorithm=draw(st.sampled_from(ALGORITHMS)),
        fields=draw(some_fields),
        seed=draw(words32),
        offset=draw(st.integers(0, 15)),
        preprocess=draw(st.booleans()),
        buckets=draw(st.sampled_from([0, 0, 6, 8])),
    )


kernels = st.builds(
    lambda seed, policy: Setting(algorithm=LINUX, seed=seed, policy=policy), st.integers(1, 2**32 - 1), st.integers(0, 1)
)


@st.composite
def groupings(draw: st.DrawFn) -> Grouping:
    links = draw(st.permutations(range(10)))
    members, at = [], 0
    for _ in range(draw(st.integers(1, 4))):
        width = draw(st.sampled_from([1, 1, 2, 3]))
        members.append(Member(tuple(sorted(links[at : at + width])), draw(st.integers(1, 3))))
        at += draw(st.integers(0, width))  # two next hops may be by the same cable
        at = min(at, 7)
    return Grouping(tuple(members))


def decided(grouping: Grouping, ecmp: Setting, lag: Setting) -> Decision:
    """As FabricHashes builds it."""
    weights = tuple(member.weight for member in grouping.members)
    first = Stage("ecmp", ecmp, ecmp.selection(weights)) if len(weights) > 1 else None
    cables = [len(member.links) for member in grouping.members]
    lags = tuple(Stage("lag", lag, lag.selection((1,) * n)) if n > 1 else None for n in cables)
    return Decision(0, grouping.links, grouping, first, lags)


def picked(setting: Setting, p: Packet, weights: list[int]) -> int:
    """The member of one packet, by the reference functions and by counting."""
    if setting.algorithm == LINUX:
        value, so_far = reference.linux(p, setting.policy, setting.seed or 0), 0
        for m, weight in enumerate(weights):
            so_far += weight
            if value < (2 * so_far * 2**31 + sum(weights)) // (2 * sum(weights)):  # rounded to the nearest
                return m
        raise AssertionError
    value = reference.rtag7(p, setting.algorithm, setting.fields, setting.seed or 0, setting.offset, setting.preprocess)
    if setting.buckets:
        return value % setting.buckets % len(weights)
    slots = [m for m, weight in enumerate(weights) for _ in range(weight)]
    return slots[value % len(slots)]


def by_hand(grouping: Grouping, ecmp: Setting, lag: Setting, p: Packet) -> int:
    hop = picked(ecmp, p, [member.weight for member in grouping.members]) if len(grouping.members) > 1 else 0
    links = grouping.members[hop].links
    return links[picked(lag, p, [1] * len(links))] if len(links) > 1 else links[0]


@settings(deadline=None, max_examples=60)
@given(groupings(), st.one_of(chips(), kernels), chips(), st.lists(packets(4), min_size=1, max_size=6))
def test_packets_leave_by_the_links_that_a_walk_by_hand_finds(
    grouping: Grouping, ecmp: Setting, lag: Setting, rows: list[Packet]
) -> None:
    decision = decided(grouping, ecmp, lag)
    expected = [by_hand(grouping, ecmp, lag, p) for p in rows]
    assert decision.known and decision.links(headers(rows)).tolist() == expected
    assert decision.links(headers(rows)).dtype == "int32"


@settings(deadline=None, max_examples=25)
@given(groupings(), st.one_of(chips(), kernels), chips(), packets(4))
def test_the_term_of_a_link_is_true_of_the_packets_that_take_it(
    grouping: Grouping, ecmp: Setting, lag: Setting, p: Packet
) -> None:
    import z3

    decision = decided(grouping, ecmp, lag)
    (taken,) = decision.links(headers([p])).tolist()
    h = constants(headers([p]))
    assert [link for link in decision.group if z3.is_true(z3.simplify(decision.term(h, link)))] == [taken]
    assert all(z3.is_false(decision.term(h, link)) for link in (*set(decision.group) - {taken}, 99))


@settings(deadline=None, max_examples=40)
@given(groupings(), chips(), chips())
def test_shares_are_what_even_values_give(grouping: Grouping, ecmp: Setting, lag: Setting) -> None:
    decision = decided(grouping, ecmp, lag)
    assert sum(decision.shares) == pytest.approx(1) and len(decision.shares) == len(decision.group)
    sprayed = decided(grouping, Setting("spray"), Setting("spray"))
    total = sum(member.weight for member in grouping.members)
    ideal = [sum(m.weight / total / len(m.links) for m in grouping.members if link in m.links) for link in decision.group]
    assert list(sprayed.shares) == pytest.approx(ideal)
    assert sprayed.by_packet_or_load or len(decision.group) == 1


CRC = Setting(algorithm="crc16", fields=("src-ip",), seed=0)
HIDDEN = replace(CRC, hidden=("SRC_MAC",))


def test_a_bundle_of_one_cable_and_a_single_next_hop_are_no_decisions() -> None:
    decision = decided(Grouping((Member((4,)),)), Setting(), Setting())
    assert decision.known and decision.stages == () and decision.rows == ()


@pytest.mark.parametrize(
    ("grouping", "ecmp", "lag", "why"),
    [
        (Grouping((Member((1,)), Member((2,))), unclear="two dumps"), CRC, CRC, "order: two dumps"),
        (Grouping((Member((1,)), Member((2,)))), Setting(unknown=("seed: x",)), CRC, "ecmp seed: x"),
        (Grouping((Member((1, 2)),)), CRC, Setting(unknown=("algorithm: y",)), "lag algorithm: y"),
        (Grouping((Member((1,)), Member((2,)))), Setting("dlb"), CRC, "ecmp: balances by load"),
        (Grouping((Member((1,)), Member((2,)))), HIDDEN, CRC, f"ecmp {HIDDEN.open[0]}"),
    ],
)
def test_what_is_not_known_is_said_and_not_computed(grouping: Grouping, ecmp: Setting, lag: Setting, why: str) -> None:
    decision = decided(grouping, ecmp, lag)
    assert decision.unknown == (why,) and not decision.known and (decision.rows is None) == (ecmp != HIDDEN)
    for ask in (decision.links, lambda h: decision.term(h, 1)):
        with pytest.raises(ValueError, match="which link packets take is not known"):
            ask(headers([Packet(4, 1, 2, 17, 3, 4, 0, 0, 0, 0, 0)]))


def test_rows_are_the_bits_that_decide() -> None:
    two = Grouping((Member((1, 2)), Member((3, 4))))
    decision = decided(two, CRC, Setting(algorithm="ccitt", fields=("src-ip",), seed=0))
    assert decision.rows is not None and [rows.bits for rows in decision.rows] == [(0,), (0,)]
    assert decided(Grouping((Member((1,)), Member((2,)), Member((3,)))), CRC, CRC).rows is None
    assert decided(Grouping((Member((1,)), Member((2,), 3))), CRC, CRC).rows is None
    uneven = Grouping((Member((1, 2)), Member((3,))))
    assert decided(uneven, CRC, CRC).rows is None
