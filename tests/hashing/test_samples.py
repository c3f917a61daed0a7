"""Samples made with a known function are explained by it, and refute the others."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashing import reference
from hashing.reference import Packet
from pauseproof.hashing.names import FIVE_TUPLE
from pauseproof.hashing.samples import Explained, Model, explained, fit_of
from pauseproof.readers.hash_samples import WIDTHS, Sample


def measured(function: object, n: int, count: int, device: str = "leaf1", seed: int = 3, family: int = 4) -> list[Sample]:
    """Random flows as a device with ``n`` ports would send them that counts its ports in an order of its own."""
    rng = random.Random(seed)
    ports = [f"Ethernet{4 * i}" for i in range(n)]
    rng.shuffle(ports)
    top = 1 << (32 if family == 4 else 128)
    out = []
    for line in range(2, count + 2):
        p = Packet(
            family, rng.randrange(top), rng.randrange(top), 17, rng.randrange(0xC000, 1 << 16), qp=rng.randrange(1 << 24)
        )
        numbers = {name: getattr(p, name) for name in WIDTHS}
        out.append(Sample(device, family, p.sip, p.dip, numbers, ports[function(p) % n], line))  # type: ignore[operator]
    return out


def only(found: list[Explained]) -> Explained:
    (one,) = found
    return one


@pytest.mark.parametrize(("name", "offset", "n"), [("crc16", 0, 8), ("ccitt", 3, 4), ("xor16", 10, 16), ("crc32lo", 0, 6)])
def test_the_function_is_found(name: str, offset: int, n: int) -> None:
    samples = measured(lambda p: reference.rtag7(p, name, FIVE_TUPLE, 10, offset), n, 150)
    one = only(explained(samples, [10], None))
    assert one.telling
    assert Model(name, FIVE_TUPLE, 10, offset, n) in [fit.model for fit in one.consistent]
    assert all(fit.model.algorithm == name for fit in one.consistent)
    assert all(fit.agree == 150 for fit in one.consistent)
    assert all(fit.agree < 150 and fit.refuting >= 0 for fit in one.fits[len(one.consistent) :])


def test_a_seed_does_not_matter_to_a_linear_function_over_a_power_of_two() -> None:
    samples = measured(lambda p: reference.rtag7(p, "crc16", FIVE_TUPLE, 123456, 0), 8, 100)
    assert Model("crc16", FIVE_TUPLE, 0, 0, 8) in [fit.model for fit in only(explained(samples, [], None)).consistent]
    odd = measured(lambda p: reference.rtag7(p, "crc16", FIVE_TUPLE, 123456, 0), 6, 100)
    assert not only(explained(odd, [], None)).consistent


def test_linux_and_other_fields_are_found() -> None:
    linux = measured(lambda p: reference.linux(p, 1, 9) * 3 >> 31, 3, 60, family=6)
    assert [fit.model.algorithm for fit in only(explained(linux, [9], None)).consistent] == ["linux-policy-1"]
    fields = (*FIVE_TUPLE, "dest-qp")
    by_qp = measured(lambda p: reference.rtag7(p, "crc16", fields), 8, 100)
    found = only(explained(by_qp, [], None)).consistent
    assert Model("crc16", fields, 0, 0, 8) in [fit.model for fit in found]
    assert all(fit.model.fields == fields for fit in found)


def test_what_no_model_explains() -> None:
    samples = measured(lambda p: hash(p), 4, 80)
    one = only(explained(samples, [], None))
    assert one.telling and not one.consistent
    assert one.fits[0].agree >= one.fits[1].agree


def test_too_few_samples_are_said_to_be_so() -> None:
    assert not only(explained(measured(lambda p: p.sport, 4, 8), [], None)).telling
    assert not only(explained(measured(lambda p: 0, 4, 100), [], None)).telling  # all by one port
    repeated = measured(lambda p: p.sport, 4, 8) * 20
    assert only(explained(repeated, [], None)).distinct == 8
    assert not only(explained(repeated, [], None)).telling


def test_more_members_than_ports() -> None:
    samples = measured(lambda p: reference.rtag7(p, "crc16", FIVE_TUPLE) % 8 // 2, 4, 120)  # weights of two
    assert not [f for f in only(explained(samples, [], None)).consistent if f.model.fields == FIVE_TUPLE and not f.model.offset]
    weighed = only(explained(samples, [], 8))
    assert Model("crc16", FIVE_TUPLE, 0, 0, 8) in [fit.model for fit in weighed.consistent]
    with pytest.raises(ValueError, match="leaf1 sent packets by 4 ports; 3 members are too few"):
        explained(samples, [], 3)


def test_devices_are_told_apart() -> None:
    a = measured(lambda p: reference.rtag7(p, "crc16", FIVE_TUPLE), 4, 90, "b")
    b = measured(lambda p: reference.rtag7(p, "ccitt", FIVE_TUPLE), 4, 90, "a")
    found = explained([*a, *b], [], None)
    assert [(one.device, one.consistent[0].model.algorithm) for one in found] == [("a", "ccitt"), ("b", "crc16")]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12), st.integers(3, 4))
def test_a_fit_is_the_best_of_all_ways_to_name_the_members(pairs: list[tuple[int, int]], n: int) -> None:
    from itertools import permutations, product

    import numpy as np

    member, egress = (list(column) for column in zip(*pairs, strict=True))
    fit = fit_of(Model("crc16", (), 0, 0, n), np.array(member, np.uint64), np.array(egress), 3)
    ways = permutations(range(3)) if n == 3 else product(range(3), repeat=4)
    agreeing = [[way[m] == e for m, e in pairs] for way in ways]
    assert fit.agree == max(map(sum, agreeing))
    longest = max(agree.index(False) if False in agree else len(agree) for agree in agreeing)
    assert fit.refuting == (longest if longest < len(pairs) else -1)
