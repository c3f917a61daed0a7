"""Random topology files that hash, with loops by the tables; and which packets go where, by following every source port.

The two fabrics that are written out have a packet of one destination that may come twice to a switch, by two orders of the
same choices.
"""

from collections.abc import Iterator
from random import Random

import numpy as np

from pauseproof.hashing.addresses import host_addresses
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind
from pauseproof.routing.walk import pairs

Links = tuple[int, int]

TWO_ORDERS = (
    """\
switches: {s0: {tier: 1}, s1: {tier: 0}, s2: {tier: 0}, s3: {tier: 0}, s5: {tier: 0}}
hosts: {h0: , h1: }
cables:
  - [h0, s2]
  - [h1, s0]
  - [s1, s0]
  - [s3, s0]
  - [s5, s3]
  - [s0, s5]
  - [s1, s0]
tables:
  - {switch: s5, destination: h0, out: [s3, s0], kind: adaptive}
  - {switch: s3, destination: h0, out: [s0, s5], kind: hashed}
  - {switch: s0, destination: h0, out: [s1, s3], kind: hashed}
hashing:
  source-port: 49152
  algorithm: xor16
  fields: [src-ip, dst-ip, l4-src-port]
  seed: 0
""",
    """\
switches: {s0: {tier: 1}, s1: {tier: 0}, s2: {tier: 1}, s3: {tier: 0}}
hosts: {h0: , h1: , h2: }
cables:
  - [h0, s1]
  - [h2, s3]
  - [s2, s1]
  - [s3, s2]
  - [s3, s0]
  - [s3, s2]
  - [s1, s3]
tables:
  - {switch: s2, destination: h0, out: [s1, s3], kind: hashed}
  - {switch: s3, destination: h0, out: [s2, s0, s1], kind: adaptive}
hashing:
  tiers:
    1: {algorithm: crc32lo, fields: [dst-ip, src-ip], seed: 10, offset: 0, symmetric: true,
        lag: {algorithm: xor16, fields: [src-ip, l4-src-port], seed: 0, offset: 10}}
addresses:
  h2: 10.1.144.190
""",
)


def hashed_fabric(seed: int, kinds: tuple[str, ...] = ("hashed",)) -> str:
    """Three or four switches, some with more cables than one between them, and rows that lead astray."""
    random = Random(seed)
    n, hosts = random.randint(3, 4), [f"h{i}" for i in range(2)]
    at = {h: random.randrange(n) for h in hosts}
    cables = [(i, random.randrange(i)) for i in range(1, n)] + [tuple(random.sample(range(n), 2)) for _ in range(n)]
    beside = {s: sorted({a + b - s for a, b in cables if s in (a, b)}) for s in range(n)}
    out = [f"switches: {{{', '.join(f's{s}: {{tier: {s % 2}}}' for s in range(n))}}}"]
    out += [f"hosts: {{{', '.join(f'{h}: ' for h in hosts)}}}", "cables:"]
    out += [f"  - [{h}, s{s}]" for h, s in at.items()] + [f"  - [s{a}, s{b}]" for a, b in cables]
    out += ["routing: ecmp", "tables:"]
    for s, h in random.sample([(s, h) for s in range(n) for h in hosts if s != at[h]], n):
        some = random.sample(beside[s], min(len(beside[s]), random.randint(1, 3)))
        out.append(
            f"  - {{switch: s{s}, destination: {h}, out: [{', '.join(f's{x}' for x in some)}], kind: {random.choice(kinds)}}}"
        )
    out += ["hashing:", *(["  source-port: 50000"] if random.random() < 0.6 else []), "  tiers:"]
    out += [f"    {tier}: {{{_hash(random)}, lag: {{{_hash(random)}}}}}" for tier in range(2)]
    return "\n".join([*out, *(["parallel-cables: bundle"] if random.random() < 0.4 else []), ""])


def _hash(random: Random) -> str:
    algorithm = random.choice(("crc16", "crc16", "ccitt", "xor16", "crc32lo", "jenkins-lo"))
    fields = random.sample(("src-ip", "dst-ip", "l4-src-port"), random.randint(1, 3))
    fields += ["in-port"] if random.random() < 0.15 else []
    buckets = random.choice(("", "", "", ", buckets: 5"))
    return f"algorithm: {algorithm}, seed: {random.choice((0, 10))}, fields: [{', '.join(fields)}]{buckets}"


def every_header_followed(network: Network) -> set[Links]:
    """(link, next link) of some packet: every source port of every pair, all switches asked hop by hop."""
    found: set[Links] = set()
    hashes, book, sport = hashes_of(network), host_addresses(network), network.hashes.sport
    ports = np.arange(0xC000, 0x10000) if sport < 0 else np.array([sport])
    for source, d, g in pairs(network, network.traffics["hosts"]):
        assert g is not None
        (a, b) = ((int(book.high[h]), int(book.low[h])) for h in (source.id, g))
        found |= set(_followed(network, hashes, roce(4, a, b, ports), source.id, d, g))
    return found


def _followed(network: Network, hashes: FabricHashes, headers: Headers, h: int, d: int, g: int) -> Iterator[Links]:
    fabric = network.fabric
    at, met = {fabric.host(h).up: np.arange(len(headers))}, set[tuple[int, bytes]]()
    while at:
        after: dict[int, list[np.ndarray]] = {}
        for link, rows in at.items():
            s = fabric.link(link).dst
            if s >= fabric.n_switches or (link, rows.tobytes()) in met:
                continue
            met.add((link, rows.tobytes()))
            kind, links, _, _, number = network.routes.route(s, d)
            if kind == ChoiceKind.DELIVER:
                links = (fabric.host(g).down,)
            some = headers.rows(rows).at_port(np.full(len(rows), fabric.link(link).dst_port))
            alone = np.full(len(rows), links[0] if links else -1)
            taken = hashes.decision(s, links, number).links(some) if len(links) > 1 else alone
            for onward in np.unique(taken[taken >= 0]).tolist():
                yield link, onward
                after.setdefault(onward, []).append(rows[taken == onward])
        at = {link: np.unique(np.concatenate(parts)) for link, parts in after.items()}
