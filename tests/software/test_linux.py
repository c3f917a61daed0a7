"""The kernel of this machine forwards packets; the model says by which next hop each leaves."""

import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import pauseproof
from hashing.cases import headers
from hashing.reference import Packet
from pauseproof.hashing.linux import Linux
from pauseproof.hashing.selection import Selection, buckets, filled_buckets, threshold
from pauseproof.hashing.settings import hashes_of
from software.forwarder import Forwarder, forwarder
from software.namespaces import NotAllowed, missing

WEIGHTS = ((1, 1), (1, 1, 1), (1, 2, 5, 1), (3, 1, 1, 250))
MASKS = (0x7, 0x37, 0x11, 0x3F, 0x30, 0x8, 0x40)
EACH = 150

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}")


@pytest.fixture(scope="module")
def router() -> Iterator[Forwarder]:
    try:
        with forwarder(4) as made:
            try:
                made.set(seed=1)
            except subprocess.CalledProcessError as refused:
                pytest.skip(f"this kernel has no fib_multipath_hash_seed (6.11 has): {refused.stderr.strip()}")
            yield made
    except NotAllowed as refused:
        pytest.skip(f"no namespaces can be made here: {refused}")


def some_packets(family: int, seed: int) -> list[Packet]:
    """To the router's route from anywhere, with ports on either side of each other."""
    rng = random.Random(seed)
    if family == 4:
        sources = [rng.randrange(11 << 24, 99 << 24) for _ in range(EACH)]
        sinks = [(10 << 24) + (200 << 16) + rng.randrange(1 << 16) for _ in range(EACH)]
    else:
        sources = [rng.choice((0x2001, 0xFD44)) << 112 | rng.randrange(1 << 112) for _ in range(EACH)]
        sinks = [0xFD20 << 112 | rng.randrange(1 << 112) for _ in range(EACH)]
    ports = [(rng.randrange(1, 1 << 16), rng.choice((4791, rng.randrange(1, 1 << 16)))) for _ in range(EACH)]
    label = [rng.randrange(1 << 20) if family == 6 else 0 for _ in range(EACH)]
    return [Packet(family, s, d, 17, *p, flow_label=fl) for s, d, p, fl in zip(sources, sinks, ports, label, strict=True)]


def agree(router: Forwarder, function: Linux, selection: Selection, packets: Sequence[Packet]) -> None:
    modelled = selection.member(function.value(headers(list(packets)))).tolist()
    seen = router.ways_out(packets)
    wrong = [(p, model, real) for p, model, real in zip(packets, modelled, seen, strict=True) if model != real]
    assert not wrong, f"{len(wrong)} of {len(packets)} differ, first {wrong[0]}"


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("policy", [0, 1, 2])
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_multipath_routes(family: int, policy: int, weights: tuple[int, ...], router: Forwarder) -> None:
    seed = 0xC0FFEE00 + policy
    router.set(seed=seed, policy=policy)
    router.routes(weights)
    agree(router, Linux(policy, seed), threshold(len(weights), weights), some_packets(family, policy))


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("mask", MASKS, ids=hex)
def test_custom_fields(family: int, mask: int, router: Forwarder) -> None:
    router.set(seed=77, policy=3, fields=mask)
    router.routes((1, 1, 1))
    agree(router, Linux(3, 77, mask), threshold(3), some_packets(family, mask))


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_groups_of_next_hops(family: int, weights: tuple[int, ...], router: Forwarder) -> None:
    router.set(seed=5, policy=1)
    router.groups(weights, "type mpath")
    agree(router, Linux(1, 5), threshold(len(weights), weights), some_packets(family, 9))


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize(("count", "weights"), [(32, (1, 1, 1)), (8, (1, 2)), (16, (1, 1, 1, 1))], ids=str)
def test_resilient_groups(family: int, count: int, weights: tuple[int, ...], router: Forwarder) -> None:
    router.set(seed=6, policy=1)
    try:
        router.groups(weights, f"type resilient buckets {count}")
    except subprocess.CalledProcessError as refused:
        pytest.skip(f"no resilient groups here: {refused.stderr.strip()}")
    table = router.buckets(family)
    assert tuple(table) == filled_buckets(count, len(weights), weights)
    agree(router, Linux(1, 6), buckets(table, len(weights)), some_packets(family, 10))


@pytest.mark.parametrize("made_of", ["routes", "type mpath", "type resilient buckets 16"])
@pytest.mark.parametrize("family", [4, 6])
def test_from_the_dumps_of_the_router_to_the_link(family: int, made_of: str, router: Forwarder, tmp_path: Path) -> None:
    """Everything is read, as a user would have it read: the order of next hops, their weights, the sysctls."""
    weights = (1, 2, 3, 1)
    router.set(seed=99, policy=1)
    if made_of == "routes":
        router.routes(weights)
    else:
        router.groups(weights, made_of)
    router.dump(tmp_path)
    network = pauseproof.load(tmp_path)
    fabric, packets = network.fabric, some_packets(family, 3)
    s = list(fabric.node_name).index("router")
    decision = hashes_of(network, family).decision(s, network.routes.route(s, 0).links)
    assert decision.known and len(decision.group) == 4
    ports = [fabric.port_name(s, int(fabric.link_src_port[l])) for l in decision.links(headers(packets))]
    assert ports == [f"d{k}" for k in router.ways_out(packets)]


def test_another_seed_would_be_seen(router: Forwarder) -> None:
    router.set(seed=8, policy=1)
    router.routes((1, 1))
    with pytest.raises(AssertionError, match="differ"):
        agree(router, Linux(1, 9), threshold(2), some_packets(4, 1))
