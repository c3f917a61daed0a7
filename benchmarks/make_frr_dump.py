"""Makes the dumps of a k-ary fat tree as FRR prints them: one ``show ip route json`` a switch, and the cabling.

    python benchmarks/make_frr_dump.py FOLDER [K]

Each edge switch announces one prefix, ``10.<pod>.<edge>.0/24``; with K = 32 that is 512 prefixes on 1,280 switches, with 16
next hops at edge and aggregation switches: about 2 GB. Links are /31 subnets, as connected routes. The cabling goes into
``layer1_topology.json``. Nothing is random: the same K gives the same bytes.
"""

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

Hop = tuple[str, str]  # interface, address; no address where it is connected
Route = tuple[str, list[Hop]]  # prefix, next hops


def edge(pod: int, i: int) -> str:
    """The name of an edge switch."""
    return f"edge-{pod}-{i}"


def aggregation(pod: int, i: int) -> str:
    """The name of an aggregation switch."""
    return f"agg-{pod}-{i}"


def core(i: int, j: int) -> str:
    """The name of a core switch: the ``j``-th of those that the ``i``-th aggregation switch of each pod reaches."""
    return f"core-{i}-{j}"


def link_address(number: int, end: int) -> str:
    """The address of one end of a link: a /31 out of 100.64.0.0/10."""
    value = (100 << 24 | 64 << 16) + 2 * number + end
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


class FatTree:
    """Names, links and routes of a k-ary fat tree. Interfaces are ``swp1..swpK``, downlinks first."""

    def __init__(self, k: int) -> None:
        self.half = k // 2
        self.pods = k

    def edge_link(self, pod: int, e: int, a: int) -> int:
        """The number of the link between an edge and an aggregation switch."""
        return (pod * self.half + e) * self.half + a

    def core_link(self, pod: int, a: int, c: int) -> int:
        """The number of the link between an aggregation and a core switch."""
        return self.pods * self.half**2 + (pod * self.half + a) * self.half + c

    def prefixes(self) -> Iterator[tuple[int, int, str]]:
        """Each pod, edge switch and its prefix, in the order of the table."""
        for pod in range(self.pods):
            for e in range(self.half):
                yield pod, e, f"10.{pod}.{e}.0/24"

    def edge_routes(self, pod: int, e: int) -> Iterator[Route]:
        """The table of an edge switch."""
        up = [(f"swp{self.half + a + 1}", link_address(self.edge_link(pod, e, a), 1)) for a in range(self.half)]
        for to_pod, to_edge, prefix in self.prefixes():
            yield prefix, [("swp1", "")] if (to_pod, to_edge) == (pod, e) else up
        for a in range(self.half):
            yield link_address(self.edge_link(pod, e, a), 0) + "/31", [(f"swp{self.half + a + 1}", "")]

    def aggregation_routes(self, pod: int, a: int) -> Iterator[Route]:
        """The table of an aggregation switch."""
        up = [(f"swp{self.half + c + 1}", link_address(self.core_link(pod, a, c), 1)) for c in range(self.half)]
        for to_pod, to_edge, prefix in self.prefixes():
            down = (f"swp{to_edge + 1}", link_address(self.edge_link(pod, to_edge, a), 0))
            yield prefix, [down] if to_pod == pod else up
        for e in range(self.half):
            yield link_address(self.edge_link(pod, e, a), 0) + "/31", [(f"swp{e + 1}", "")]
        for c in range(self.half):
            yield link_address(self.core_link(pod, a, c), 0) + "/31", [(f"swp{self.half + c + 1}", "")]

    def core_routes(self, a: int, c: int) -> Iterator[Route]:
        """The table of a core switch."""
        for to_pod, _, prefix in self.prefixes():
            yield prefix, [(f"swp{to_pod + 1}", link_address(self.core_link(to_pod, a, c), 0))]
        for pod in range(self.pods):
            yield link_address(self.core_link(pod, a, c), 0) + "/31", [(f"swp{pod + 1}", "")]

    def tables(self) -> Iterator[tuple[str, Iterator[Route]]]:
        """Each switch and its table."""
        for pod in range(self.pods):
            for i in range(self.half):
                yield edge(pod, i), self.edge_routes(pod, i)
                yield aggregation(pod, i), self.aggregation_routes(pod, i)
        for a in range(self.half):
            for c in range(self.half):
                yield core(a, c), self.core_routes(a, c)

    def cables(self) -> Iterator[tuple[Hop, Hop]]:
        """Each cable as two (switch, interface) ends."""
        for pod in range(self.pods):
            for a in range(self.half):
                for e in range(self.half):
                    yield (edge(pod, e), f"swp{self.half + a + 1}"), (aggregation(pod, a), f"swp{e + 1}")
                for c in range(self.half):
                    yield (aggregation(pod, a), f"swp{self.half + c + 1}"), (core(a, c), f"swp{pod + 1}")


def next_hop(interface: str, address: str) -> dict[str, object]:
    """One next hop, with FRR's keys in FRR's order."""
    index = int(interface.removeprefix("swp")) + 1
    if not address:
        where: dict[str, object] = {"directlyConnected": True, "interfaceIndex": index, "interfaceName": interface}
        return {"flags": 3, "fib": True, **where, "active": True}
    where = {"ip": address, "afi": "ipv4", "interfaceIndex": index, "interfaceName": interface}
    return {"flags": 3, "fib": True, **where, "active": True, "weight": 1}


def frr_text(value: object, level: int) -> str:
    """JSON as FRR prints it at this level: two blanks a level, no blank after a colon."""
    return json.dumps(value, indent=2, separators=(",", ":")).replace("\n", "\n" + "  " * level)


@lru_cache(1000)
def hops_text(hops: tuple[Hop, ...]) -> str:
    """The array of next hops of a route."""
    return frr_text([next_hop(*hop) for hop in hops], 3)


def entry_text(prefix: str, hops: tuple[Hop, ...], number: int) -> str:
    """One prefix with its route, with the keys of FRR 8.4 in their order."""
    bgp = bool(hops[0][1])
    head = {
        "prefix": prefix,
        "prefixLen": int(prefix.partition("/")[2]),
        "protocol": "bgp" if bgp else "connected",
        "vrfId": 0,
        "vrfName": "default",
        "selected": True,
        "destSelected": True,
        "distance": 20 if bgp else 0,
        "metric": 0,
        "installed": True,
        "table": 254,
        "internalStatus": 16,
        "internalFlags": 8,
        "internalNextHopNum": len(hops),
        "internalNextHopActiveNum": len(hops),
        "nexthopGroupId": number,
        "installedNexthopGroupId": number,
        "uptime": f"{number % 24:02d}:{number % 60:02d}:{number % 59:02d}",
    }
    lines = json.dumps(head, separators=(",\n      ", ":"))[1:-1]
    return f'  "{prefix}":[\n    {{\n      {lines},\n      "nexthops":{hops_text(hops)}\n    }}\n  ]'


def text_of(routes: Iterator[Route]) -> str:
    """A whole table."""
    entries = (entry_text(prefix, tuple(hops), number) for number, (prefix, hops) in enumerate(routes))
    return "{\n" + ",\n".join(entries) + "\n}\n"


def write(folder: Path, k: int) -> int:
    """Write all files; the number of bytes of the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    tree, total = FatTree(k), 0
    for switch, routes in tree.tables():
        total += (folder / f"{switch}.show_ip_route.json").write_text(text_of(routes))
    edges = [
        {"node1": {"hostname": a, "interfaceName": p}, "node2": {"hostname": b, "interfaceName": q}}
        for (a, p), (b, q) in tree.cables()
    ]
    (folder / "layer1_topology.json").write_text(json.dumps({"edges": edges}, indent=1) + "\n")
    return total


if __name__ == "__main__":
    size = write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 32)
    sys.stderr.write(f"{size / 1e9:.2f} GB\n")
