"""Topology files with entries and rules of every kind, held to the walker: verdict and every count.

``PAUSEPROOF_EXAMPLES=5000 pytest tests/routing/test_native_columns.py`` tries more random files than the usual few.
"""

import os
from pathlib import Path
from random import Random

import pytest

from pauseproof import load, verify
from pauseproof.fabric.places import BadInput
from pauseproof.routing.network import Network
from routing.truth import truth

EXAMPLES = int(os.environ.get("PAUSEPROOF_EXAMPLES", "40"))
LEAVES = "leaf-spine: {leaves: 2, spines: 2, hosts: 3}\n"


def network_of(text: str, folder: Path) -> Network:
    path = folder / "t.yaml"
    path.write_text(text)
    return load(path)


def agrees(network: Network) -> None:
    (report,) = verify(network).fabrics
    expected = truth(network)
    told = {"verdict": report.verdict.value, "cyclic_components": report.cyclic_components, **report.coverage}
    assert {key: told[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("tables: [{switch: leaf0, destination: leaf0, out: leaf0-h0}]", [0]),
        ("tables: [{switch: leaf0, destination: leaf0, out: [1, spine0]}]", [0]),
        ("tables: [{switch: leaf0, destination: leaf1, out: hosts}]", [0, 1, 2]),
        ("adaptive: reselecting\ntables: [{switch: 'leaf*', destination: leaf0, out: '*h1', kind: adaptive}]", [1, 4]),
        ("lane-rules: [{at: leaf0, out: leaf0-h0, label: {0: lossy}}]", [0]),
        ("lane-rules: [{at: leaf0, out: leaf0-h2, lane: {0: lossy}}]", [2]),
        ("lane-rules: [{at: leaf0, out: spine0, label: {0: lossy}}]", []),
        ("lanes: 2\nlane-of-label: [0, lossy]\nlane-rules: [{at: spine0, out: leaf0, label: {0: 1}, lane: {1: 0}}]", range(6)),
    ],
)
def test_hosts_that_packets_are_sent_straight_to_have_a_column_of_their_own(
    text: str, alone: list[int], tmp_path: Path
) -> None:
    network = network_of(LEAVES + text + "\n", tmp_path)
    members = [network.destinations.members(d) for d in range(len(network.destinations))]
    assert sorted(one[0] for one in members if len(one) == 1) == list(alone)
    agrees(network)


def test_random_files(tmp_path: Path) -> None:
    read = 0
    for seed in range(EXAMPLES):
        text = random_file(Random(seed))
        try:
            network = network_of(text, tmp_path)
        except BadInput:
            continue
        try:
            agrees(network)
        except Exception as error:
            error.add_note(text)
            raise
        read += 1
    assert read > EXAMPLES / 2


def random_file(random: Random) -> str:
    """A small fabric with two lanes, and a few lines of each kind."""
    ring = random.random() < 0.5
    fabric = "ring: {switches: 4, hosts: 2}" if ring else "leaf-spine: {leaves: 2, spines: 2, hosts: 2}"
    switches = ["s0", "s1", "s2", "s3"] if ring else ["leaf0", "leaf1", "spine0", "spine1"]
    hosts = [f"{s}-h{i}" for s in switches if not s.startswith("spine") for i in (0, 1)]
    neighbours = {s: [s[:-1] + str((int(s[-1]) + by) % 4) for by in (1, 3)] if ring else switches[2:] for s in switches}
    if not ring:
        neighbours |= dict.fromkeys(switches[2:], switches[:2])

    def node() -> str:
        return random.choice([*switches, *hosts, "'*h0'"])

    def at_and_out() -> tuple[str, str]:
        s = random.choice(switches)
        near = [*neighbours[s], *(h for h in hosts if h.startswith(s)), "1", "'*0'"]
        return s, ", ".join(random.choice(near) for _ in range(random.choice((1, 1, 2, 3))))

    lines = [fabric, f"kind: {random.choice(('roce', 'infiniband'))}"]
    lines += [f"adaptive: {random.choice(('committed', 'reselecting'))}", "lanes: 2"]
    lines += ["lane-of-label: [0, lossy]"] * (random.random() < 0.2)
    lines.append("tables:")
    for _ in range(random.randrange(1, 4)):
        kind, (s, out) = random.choice(("hashed", "hashed", "adaptive", "unknown", "drop")), at_and_out()
        to = "" if kind in ("unknown", "drop") else f", out: [{out}]"
        lines.append(f"  - {{switch: {s}, destination: {node()}, kind: {kind}{to}}}")
    rules = random.randrange(3)
    lines += ["lane-rules:"] * (rules > 0)
    for _ in range(rules):
        becomes = f"{random.choice(('label', 'lane'))}: {{{random.choice('01')}: {random.choice(('0', '1', 'lossy'))}}}"
        s, out = at_and_out()
        lines.append(f"  - {{at: {s}, out: [{out}], {becomes}}}")
    if random.random() < 0.4:
        lines += ["send:", f"  - {{from: {node()}, to: {node()}, label: {random.choice('01')}}}"]
    return "\n".join(lines) + "\n"
