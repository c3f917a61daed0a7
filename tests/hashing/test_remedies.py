"""Changes that help, each held to a count of its own; and seeds, which do not help linear hashes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chain_samples import PAIR, met, tried
from examples import on_few
from pauseproof.hashing.chains import Chain, Met
from pauseproof.hashing.combinations import count
from pauseproof.hashing.remedies import Remedy, remedy


def best_of(*chains: tuple[Met, ...]) -> Remedy | None:
    every = [(Chain(one, 1, (0,), 0), [PAIR]) for one in chains]
    return remedy(every[0][0], every, -1)


def changed(chain: tuple[Met, ...], found: Remedy) -> tuple[Met, ...]:
    old = chain[found.at]
    value: object = tuple(found.value.split(", ")) if found.key == "fields" else found.value
    value = int(found.value) if found.key in ("offset", "seed", "policy") else value
    changes: Any = {found.key: value}
    new = old._replace(stage=replace(old.stage, setting=replace(old.stage.setting, **changes)))
    return tuple(new if one == old else one for one in chain)


@pytest.mark.parametrize(("size", "offset"), [(4, "2"), (8, "3"), (16, "4")])
def test_the_least_offset_that_loses_nothing(size: int, offset: str) -> None:
    found = best_of((met(size), met(size, seed=9, tier=1)))
    assert found is not None
    assert (found.at, found.key, found.value, found.whole) == (1, "offset", offset, True)


def test_sonics_defaults_want_another_offset_at_the_spine() -> None:
    chain = (met(8), met(8, seed=10, offset=10, tier=1), met(8, seed=25, tier=2))
    found = best_of(chain)
    assert found is not None
    assert (found.at, found.key, found.after.combinations) == (2, "offset", 512)
    assert tried(changed(chain, found), PAIR) == 512


def test_another_seed_helps_where_the_hash_is_not_linear() -> None:
    found = best_of((met(4, "linux", seed=5, policy=1), met(4, "linux", seed=5, policy=1, tier=1)))
    assert found is not None
    assert (found.key, found.value, found.after.combinations) == ("seed", "6", 16)


def test_one_hash_at_one_tier_alone_cannot_be_told_apart_from_itself() -> None:
    again = met(4)
    assert best_of((again, again)) is None


def test_no_other_chain_may_lose_by_it() -> None:
    """Offset 4 at tier 1 would part it from tier 0, and make it repeat tier 2 in the other chain."""
    first, second, third = met(16), met(16, tier=1), met(16, tier=2, offset=4)
    assert best_of((first, second)) is not None
    found = best_of((first, second), (second, third))
    assert found is not None
    after = changed((second, third), replace(found, at=0) if found.at == 1 else found)
    assert count(after, [PAIR]).combinations >= count((second, third), [PAIR]).combinations


@on_few
@given(
    st.sampled_from(["crc16", "ccitt", "crc32lo", "xor16", "crc16-xor8"]),
    st.lists(st.sampled_from([2, 4, 8]), min_size=2, max_size=3),
    st.integers(0, 15),
)
def test_what_is_promised_is_what_trying_finds(algorithm: str, sizes: list[int], seed: int) -> None:
    chain = tuple(met(size, algorithm, tier=i, seed=seed + i) for i, size in enumerate(sizes))
    found = best_of(chain)
    if found is not None:
        assert found.key != "seed"
        assert tried(changed(chain, found), PAIR) == found.after.combinations > tried(chain, PAIR)
