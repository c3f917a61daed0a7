"""A Linux machine that forwards: what it is sent comes in at one link and leaves by one of several, as its kernel decides.

One namespace is the router. All its links end in a second namespace, where a program puts frames on one link and says by which
of the others each came out: what is seen is the forwarding path itself, not an answer to a question about it.
"""

import json
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from hashing.reference import Packet
from software.frame_player import MARK
from software.namespaces import Cage, cage

ROUTER, OUTSIDE, PLAYER = "router", "outside", Path(__file__).with_name("frame_player.py")
NETS = {4: "10.200.0.0/16", 6: "fd20::/16"}  # where packets are for
_MAC_IN = "02:00:00:00:00:01"
_SYSCTL = "net.ipv{}.fib_multipath_hash_{}"


@dataclass(frozen=True)
class Forwarder:
    """The router with ``links`` ways out."""

    inside: Cage
    links: int

    def set(self, **values: int) -> None:
        """Multipath settings: policy, seed, fields; where IPv6 has its own, that too."""
        for name, value in values.items():
            for version in (4,) if name == "seed" else (4, 6):
                self.write(_SYSCTL.format(version, name), value)

    def write(self, sysctl: str, value: int) -> None:
        """One sysctl of the router. Raises CalledProcessError where this kernel has none of that name."""
        path = Path("/proc/sys", *sysctl.split("."))
        self.inside.run("ip", "netns", "exec", ROUTER, "sh", "-c", f"echo {value} > {path}")

    def routes(self, weights: Sequence[int]) -> None:
        """One multipath route for each family."""
        for version, net in NETS.items():
            hops = [f"nexthop via {_gateway(version, k)} dev d{k} weight {w}" for k, w in enumerate(weights)]
            self.inside.ip([f"route replace {net} {' '.join(hops)}"], ROUTER)

    def groups(self, weights: Sequence[int], kind: str) -> None:
        """Routes by a group of next-hop objects, of a type as ``ip nexthop`` has them, and no other objects."""
        self.inside.ip(["nexthop flush"], ROUTER)
        for version, net in NETS.items():
            ids = [100 * version + k for k in range(len(weights))]
            self.inside.ip([f"nexthop replace id {i} via {_gateway(version, k)} dev d{k}" for k, i in enumerate(ids)], ROUTER)
            members = "/".join(f"{i},{w}" for i, w in zip(ids, weights, strict=True))
            self.inside.ip([f"nexthop replace id {version} group {members} {kind}"], ROUTER)
            self.inside.ip([f"route replace {net} nhid {version}"], ROUTER)

    def buckets(self, version: int) -> list[int]:
        """The member of each bucket of a resilient group."""
        text = self.inside.run("ip", "-n", ROUTER, "-j", "nexthop", "bucket", "show", "id", str(version))
        found = {row["bucket"]["index"]: row["bucket"]["nhid"] for row in json.loads(text)}
        return [found[i] - 100 * version for i in sorted(found)]

    def dump(self, to: Path) -> None:
        """What a user saves of the router, and of a machine called ``far`` that all its links lead to."""
        ask = ("ip", "-n", ROUTER, "-j")
        (to / "router.ip_j_route.json").write_text(self.inside.run(*ask, "route", "show"))
        (to / "router.ip_j_6_route.json").write_text(self.inside.run(*ask, "-6", "route", "show"))
        (to / "router.ip_j_nexthop.json").write_text(self.inside.run(*ask, "nexthop", "show"))
        (to / "router.ip_j_addr.json").write_text(self.inside.run(*ask, "addr", "show"))
        names = [_SYSCTL.format(v, n) for v, n in ((4, "policy"), (6, "policy"), (4, "fields"), (6, "fields"), (4, "seed"))]
        values = [self.inside.run("ip", "netns", "exec", ROUTER, "cat", "/proc/sys/" + n.replace(".", "/")) for n in names]
        lines = [f"{name} = {value.strip()}\n" for name, value in zip(names, values, strict=True)]
        (to / "router.sysctl").write_text("".join(lines))
        links = range(self.links)
        cables = [f"router,d{k},far,p{k}\n" for k in links]
        (to / "cables.csv").write_text("".join(["a_device,a_port,b_device,b_port\n", *cables]))
        far = [{"ifindex": k + 1, "ifname": f"p{k}", "addr_info": [_address(v, k) for v in (4, 6)]} for k in links]
        (to / "far.ip_j_addr.json").write_text(json.dumps(far))
        nets = [{"dst": net, "dev": "server", "protocol": "kernel", "scope": "link"} for net in NETS.values()]
        (to / "far.ip_j_route.json").write_text(json.dumps(nets))

    def ways_out(self, packets: Sequence[Packet]) -> list[int]:
        """The link by which each packet left, -1 where it did not."""
        frames = [frame(p, number).hex() for number, p in enumerate(packets)]
        asked = json.dumps({"in": "in0", "out": [f"d{k}" for k in range(self.links)], "frames": frames})
        inside = ("ip", "netns", "exec", OUTSIDE, sys.executable, str(PLAYER))
        out: list[int] = json.loads(self.inside.run(*inside, text=asked))
        return out


@contextmanager
def forwarder(links: int) -> Iterator[Forwarder]:
    """A router without routes. Raises NotAllowed where there are no namespaces."""
    with cage() as inside:
        inside.ip([f"netns add {device}" for device in (ROUTER, OUTSIDE)])
        ports = ["in0", *(f"d{k}" for k in range(links))]
        inside.ip([f"link add {port} netns {ROUTER} type veth peer name {port} netns {OUTSIDE}" for port in ports])
        inside.ip([f"link set {port} up" for port in ports], OUTSIDE)
        made = Forwarder(inside, links)
        for sysctl in ("ipv4.ip_forward", "ipv6.conf.all.forwarding"):
            made.write(f"net.{sysctl}", 1)
        for port in ("all", "in0"):
            made.write(f"net.ipv4.conf.{port}.rp_filter", 0)
        inside.ip([f"link set in0 address {_MAC_IN}", *(f"link set {port} up" for port in ports)], ROUTER)
        for k in range(links):
            inside.ip([f"addr add {_gateway(version, k, 1)}/{bits} dev d{k}" for version, bits in ((4, 24), (6, 64))], ROUTER)
            hops = [f"{_gateway(version, k)} lladdr 02:00:00:00:01:{k:02x} dev d{k} nud permanent" for version in (4, 6)]
            inside.ip([f"neigh replace {hop}" for hop in hops], ROUTER)
        yield made


def _gateway(version: int, k: int, last: int = 2) -> str:
    return f"10.100.{k}.{last}" if version == 4 else f"fd10:0:0:{k:x}::{last}"


def _address(version: int, k: int) -> dict[str, object]:
    """Of ``far``, as ip tells it."""
    family, bits = ("inet", 24) if version == 4 else ("inet6", 64)
    return {"family": family, "local": _gateway(version, k), "prefixlen": bits}


def frame(p: Packet, number: int) -> bytes:
    """The packet as an Ethernet frame; its payload is its number."""
    payload = MARK + struct.pack(">I", number)
    udp = struct.pack(">4H", p.sport, p.dport, 8 + len(payload), 0)
    size = len(udp) + len(payload)
    if p.family == 4:
        ends = ip_address(p.sip).packed + ip_address(p.dip).packed
        start = struct.pack(">BBHHHBBH", 0x45, 0, 20 + size, 0, 0, 64, p.proto, 0) + ends
        summed = sum(struct.unpack(">10H", start))
        summed = (summed & 0xFFFF) + (summed >> 16)
        checksum = ~((summed & 0xFFFF) + (summed >> 16)) & 0xFFFF
        ip = start[:10] + struct.pack(">H", checksum) + start[12:]
    else:
        ends = b"".join(address.to_bytes(16, "big") for address in (p.sip, p.dip))
        ip = struct.pack(">IHBB", 6 << 28 | p.flow_label, size, p.proto, 64) + ends
    ethertype = b"\x08\x00" if p.family == 4 else b"\x86\xdd"
    return bytes.fromhex(_MAC_IN.replace(":", "")) + bytes(6) + ethertype + ip + udp + payload
