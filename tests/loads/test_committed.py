"""Loads over known hashes against flows that are followed one by one, each decision asked about one packet."""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_load import naive_load
from pauseproof.hashing.addresses import host_addresses
from pauseproof.hashing.headers import roce
from pauseproof.hashing.settings import hashes_of
from pauseproof.loads import committed
from pauseproof.loads.committed import Committing
from pauseproof.loads.flows import Flows
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.spread import Spread, spread
from pauseproof.routing.native import load_native
from pauseproof.routing.network import Network

FABRICS = {
    "tree": "fat-tree: {k: 4}\nrouting: ecmp\n",
    "three spines": "leaf-spine: {leaves: 3, spines: 3, hosts: 2}\nrouting: ecmp\n",
    "ring": "ring: {switches: 6, hosts: 1}\nrouting: ecmp\n",
    "forwarding loop": (
        "fat-tree: {k: 4}\nrouting: ecmp\ntables:\n  - {switch: agg0-0, destination: edge1-0, out: [edge0-0, edge0-1]}\n"
    ),
    "black hole": "fat-tree: {k: 4}\nrouting: ecmp\ntables:\n  - {switch: core0, destination: edge1-0, kind: drop}\n",
}
ALGORITHMS = ("crc16", "ccitt", "crc32lo", "xor16", "jenkins-lo", "linux")
FIELDS = ("src-ip", "dst-ip", "l4-src-port", "dest-qp", "in-port")


@cache
def network_of(text: str) -> Network:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "topology.yaml"
        file.write_text(text)
        return load_native(file)


@st.composite
def hashed_networks(draw: st.DrawFn) -> Network:
    """A fabric whose tiers hash alike or not, some by load or not known."""

    def setting() -> str:
        algorithm = draw(st.sampled_from(ALGORITHMS))
        if algorithm == "linux":
            return "algorithm: linux, policy: 1, seed: 5"
        fields = draw(st.sets(st.sampled_from(FIELDS), min_size=1))
        seed, offset = draw(st.integers(0, 3)), draw(st.sampled_from((0, 5, 10)))
        return f"algorithm: {algorithm}, fields: [{', '.join(sorted(fields))}], seed: {seed}, offset: {offset}"

    text = FABRICS[draw(st.sampled_from(sorted(FABRICS)))]
    tiers = [draw(st.sampled_from(("known", "known", "known", "mode: flowlet", "algorithm: random"))) for _ in range(2)]
    if "ring" in text or draw(st.booleans()):
        return network_of(f"{text}hashing: {{{setting()}}}\n")
    lines = ", ".join(f"{tier}: {{{setting() if word == 'known' else word}}}" for tier, word in enumerate(tiers))
    return network_of(f"{text}hashing: {{tiers: {{{lines}}}}}\n")


@st.composite
def flows_on(draw: st.DrawFn, network: Network) -> Flows:
    n, hosts = draw(st.integers(1, 30)), network.fabric.n_hosts
    seed = draw(st.integers(0, 999))
    rng = np.random.default_rng(seed)
    sport = np.where(rng.random(n) < 0.8, rng.integers(0xC000, 0x10000, n), -1)
    dqpn = np.where(rng.random(n) < 0.9, rng.integers(0, 1 << 24, n), -1)
    src, dst = rng.integers(0, hosts, n).astype(np.int32), rng.integers(0, hosts, n).astype(np.int32)
    return Flows.of(
        src, dst, rng.integers(1, 9, n).astype(float), sport=sport, dqpn=dqpn, phase=rng.integers(0, 2, n).astype(np.int32)
    )


def expected(network: Network, flows: Flows) -> tuple[dict[tuple[int, int], float], dict[tuple[int, str], float]]:
    """Each flow by the naive walk; what it takes is asked of the decision, packet by packet, and what is not known divides."""
    hashes = hashes_of(network)
    book = host_addresses(network, hashes.family)
    bytes: dict[tuple[int, int], float] = defaultdict(float)
    ends: dict[tuple[int, str], float] = defaultdict(float)
    decisions = (decision for s in range(network.fabric.n_switches) for decision in hashes.groups(s) if decision.known)
    needs_qp = any("dest-qp" in stage.setting.fields for decision in decisions for stage in decision.stages)
    for f in range(len(flows)):
        src, dst, sport, dqpn = (int(column[f]) for column in (flows.src, flows.dst, flows.sport, flows.dqpn))
        known = sport >= 0 and (dqpn >= 0 or not needs_qp)

        def takes(came_by: int, links: list[int], f: int = f, known: bool = known) -> dict[int, Fraction]:
            decision = hashes.decision(network.fabric.link(links[0]).src, links)
            if not decision.known or not known:
                return dict(zip(links, map(Fraction, decision.shares), strict=True))
            h, g, p = int(flows.src[f]), int(flows.dst[f]), network.fabric.link(came_by).dst_port
            sides = (book.high[h], book.low[h]), (book.high[g], book.low[g])
            seen = roce(hashes.family, *sides, [int(flows.sport[f])], qp=[max(int(flows.dqpn[f]), 0)], in_port=[p])
            return {int(decision.links(seen)[0]): Fraction(1)}

        one = naive_load(network, [(int(flows.phase[f]), src, dst, 1)], takes)
        for at, part in one.bytes.items():
            bytes[at] += float(part) * float(flows.bytes[f])
        for end, part in one.ends.items():
            ends[end] += float(part) * float(flows.bytes[f])
    return bytes, ends


def found(network: Network, flows: Flows) -> tuple[Committing, Spread]:
    committing = Committing(Hashing(network), 2)
    committing.add(flows)
    total = spread(committing.hashing.hops, committing.gathering.demand())
    total.add(committing.load, 0)
    return committing, total


@settings(max_examples=80, deadline=None)
@given(st.data(), hashed_networks(), st.booleans())
def test_it_is_every_flow_by_itself(data: st.DataObject, network: Network, settle: bool) -> None:
    flows = data.draw(flows_on(network))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(committed, "CELLS", committed.CELLS if settle else 0)
        _, total = found(network, flows)
    bytes, ends = expected(network, flows)
    for phase in range(2):
        naive = [bytes.get((phase, link), 0.0) for link in range(network.fabric.n_links)]
        np.testing.assert_allclose(total.bytes[phase], naive, atol=1e-9)
        for what in ("arrived", "lost", "looping", "unknown"):
            assert abs(getattr(total, what)[phase] - ends.get((phase, what), 0.0)) < 1e-9, what


def test_a_settled_state_has_no_hash_ahead() -> None:
    network = network_of(FABRICS["tree"] + "hashing: {algorithm: crc16, seed: 0}\n")
    committing = Committing(Hashing(network), 2)
    assert committing.settled_states.mean() == pytest.approx((8 * 1 + 8 * 2 + 4 * 8) / (20 * 8))
    assert len(committing.hashing.laws) == 1
