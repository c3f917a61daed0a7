"""Loops of 16 among 5,008 switches: seconds of ``pauseproof verify --realize``.

A ring of 16 switches, each with 312 leaf switches of one host. Ring cables are parallel, so each hop is a hash over three or
four members by the same CRC: polarized, so that most turns from one cable to another are unroutable.

Run ``python benchmarks/realize_ring.py [CABLES...]``; without numbers 3 and 4.
"""

import sys
import tempfile
from pathlib import Path

from measure import PAUSEPROOF, run, verdict

RING, LEAVES = 16, 312


def ring(cables: int, *, ring: int = RING, leaves: int = LEAVES) -> str:
    """The topology file."""
    leaf = [[f"l{i:02}-{j:03}" for j in range(leaves)] for i in range(ring)]
    out = ["switches:", *(f"  r{i:02}: {{}}" for i in range(ring))]
    out += [f"  {name}: {{hosts: 1}}" for names in leaf for name in names]
    out.append("cables:")
    for i in range(ring):
        out += [f"  - [r{i:02}, r{(i + 1) % ring:02}]"] * cables
        out += [f"  - [r{i:02}, {name}]" for name in leaf[i]]
    fields = "[src-ip, dst-ip, proto, l4-src-port, l4-dst-port]"
    return "\n".join([*out, "routing: ecmp", f"hashing: {{algorithm: crc16, seed: 0, fields: {fields}}}", ""])


def main(numbers: list[int], *, leaves: int = LEAVES) -> None:
    """One line a number of cables."""
    with tempfile.TemporaryDirectory() as folder:
        for cables in numbers:
            path = Path(folder) / f"ring-{cables}.yaml"
            path.write_text(ring(cables, leaves=leaves))
            plain, realized = run([*PAUSEPROOF, "verify", path]), run([*PAUSEPROOF, "verify", path, "--realize"])
            took = f"{plain.seconds:6.2f} s, with --realize {realized.seconds:6.2f} s, {realized.megabytes:5,.0f} MB"
            print(f"{cables} cables  {took}  {verdict(realized)}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [3, 4])
