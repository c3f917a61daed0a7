"""What two decisions by one hash leave, against flows that are sent through both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashing.cases import words32
from pauseproof.hashing.alike import one_hash, only_seed_differs, seedless, starved_bundles, used_cables
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.headers import roce
from pauseproof.hashing.setting import Setting
from pauseproof.routing.groups import Grouping, Member

FIELDS = ("src-ip", "dst-ip", "proto", "l4-src-port", "l4-dst-port")


def crc(seed: int = 0, offset: int = 0, algorithm: str = "crc16") -> Setting:
    return Setting(algorithm=algorithm, fields=FIELDS, seed=seed, offset=offset)


def stages(first: Setting, second: Setting, weights: tuple[int, ...], cables: int) -> tuple[Stage, Stage]:
    return Stage("ecmp", first, first.selection(weights)), Stage("lag", second, second.selection((1,) * cables))


@settings(deadline=None, max_examples=30)
@given(
    words32,
    words32,
    st.lists(st.integers(1, 2), min_size=2, max_size=5),
    st.integers(2, 5),
    st.sampled_from(["crc16", "xor16"]),
)
def test_cables_that_are_used_are_those_that_many_flows_find(
    a: int, b: int, weights: list[int], cables: int, algorithm: str
) -> None:
    first, second = stages(crc(a, algorithm=algorithm), crc(b, algorithm=algorithm), tuple(weights), cables)
    random = np.random.default_rng(1)
    h = roce(4, (0, random.integers(0, 1 << 32, 20_000)), (0, random.integers(0, 1 << 32, 20_000)), 0xC000)
    met = set(zip(first.member(h).tolist(), second.member(h).tolist(), strict=True))
    counted = used_cables(first, second)
    assert counted == tuple(sum(hop == m for hop, _ in met) for m in range(len(weights)))


def test_hashes_that_are_not_one() -> None:
    assert not one_hash(crc(), crc(offset=3)) and not one_hash(crc(), crc(algorithm="ccitt"))
    assert one_hash(crc(1), crc(2)) and only_seed_differs(crc(1), crc(2)) and not only_seed_differs(crc(1), crc(1))
    kernel = [Setting(algorithm="linux", policy=1, seed=seed) for seed in (1, 2)]
    assert not one_hash(*kernel) and one_hash(kernel[0], kernel[0])
    assert not one_hash(Setting(), Setting()) and not one_hash(Setting("spray"), Setting("spray"))
    assert used_cables(*stages(crc(), crc(offset=3), (1, 1), 2)) is None
    assert used_cables(*stages(kernel[0], kernel[0], (1, 1), 2)) is None  # 31 bits are too many to count


def test_what_was_said_of_a_setting_does_not_make_it_another() -> None:
    assert seedless(Setting(algorithm="crc16", seed=4, defaults=("x",), buckets=8)) == Setting(algorithm="crc16", seed=0)


@pytest.mark.parametrize(("hops", "cables", "starved"), [(8, 8, (1, 8)), (4, 2, (1, 2)), (3, 2, None), (6, 4, (2, 4))])
def test_eight_bundles_of_eight_cables_use_one_cable_each(hops: int, cables: int, starved: tuple[int, int] | None) -> None:
    members = tuple(Member(tuple(range(m * cables, (m + 1) * cables))) for m in range(hops))
    first, second = stages(crc(), crc(9), (1,) * hops, cables)
    decision = Decision(0, tuple(range(hops * cables)), Grouping(members), first, (second,) * hops)
    assert set(starved_bundles(decision)) == ({starved} if starved else set())
    apart = stages(crc(), crc(offset=4), (1,) * hops, cables)[1]
    assert starved_bundles(Decision(0, decision.group, Grouping(members), first, (apart,) * hops)) == ()
