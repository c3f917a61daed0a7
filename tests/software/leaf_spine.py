"""Real FRR daemons (zebra and bgpd) as four leaves under two spines, and what their tables hold.

``leafN:swpS`` is cabled to ``spineS:swpN``, with the subnet 10.1.S.(2N)/31; the servers of ``leafN`` are 10.10.N.0/24 at its
swp31. Every device is an AS of its own. BGP (RFC 4271) keeps the shortest AS paths, and all of them with multipath-relax;
where every device is an AS these are the shortest paths of the graph, so what daemons have to agree on is known beforehand.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx

from software.namespaces import Cage, cage

LEAVES = {f"leaf{n}": n for n in range(1, 5)}
SPINES = {f"spine{s}": s for s in range(1, 3)}
DEVICES = (*LEAVES, *SPINES)
CABLES = [(leaf, spine) for leaf in LEAVES for spine in SPINES]
DAEMONS = ("zebra", "bgpd", "vtysh")
RIGHTS = ("-u", "root", "-g", "frrvty", "-P", "0")  # of the groups, Debian's daemons insist on this one; no port for telnet
CRASHES = "/var/tmp/frr"  # where daemons keep a folder each, by process number
WITHIN = 12.0  # seconds that daemons have to start, and to agree

Cable = tuple[str, str]
Tables = dict[str, dict[str, set[str]]]  # device -> prefix of another -> the neighbours that packets go to


@dataclass(frozen=True)
class LeafSpine:
    """A network that runs. ``folder`` has a folder of sockets and logs for each device."""

    inside: Cage
    folder: Path

    def cut(self, *cables: Cable) -> None:
        """The leaf's ports are shut."""
        for leaf, spine in cables:
            self.inside.ip([f"link set {port(spine)} down"], leaf)

    def ask(self, device: str, question: str) -> str:
        """What vtysh answers."""
        return self.inside.run("vtysh", "--vty_socket", str(self.folder / device), "-c", question)

    def dump(self, to: Path) -> None:
        """The tables of every device, as a user saves them."""
        for device in DEVICES:
            (to / f"{device}.show_ip_route.json").write_text(self.ask(device, "show ip route json"))
            for table in ("route", "nexthop", "addr"):
                (to / f"{device}.ip_j_{table}.json").write_text(self.inside.run("ip", "-n", device, "-j", table, "show"))

    def tables(self) -> Tables:
        """What the routing tables hold now."""
        return {device: _used(device, json.loads(self.ask(device, "show ip route json") or "{}")) for device in DEVICES}

    def settle(self, *without: Cable) -> None:
        """Wait until every table holds the shortest paths. Raises TimeoutError with the tables that do not."""
        wanted, until = shortest(without), time.monotonic() + WITHIN
        while (found := self.tables()) != wanted:
            if time.monotonic() > until:
                wrong = [f"{d}: {found[d]}; expected {wanted[d]}" for d in DEVICES if found[d] != wanted[d]]
                raise TimeoutError("\n".join([f"no agreement within {WITHIN} s", *wrong, *self.logs()]))
            time.sleep(0.2)

    def logs(self) -> list[str]:
        """What daemons complained of."""
        return [f"{log}: {text}" for log in sorted(self.folder.rglob("*.log")) if (text := log.read_text("utf-8", "replace"))]


@contextmanager
def leaf_spine() -> Iterator[LeafSpine]:
    """The network from its start; nothing of it is left afterwards. Raises NotAllowed where there are no namespaces."""
    with TemporaryDirectory(prefix="frr") as folder, cage(CRASHES) as inside:
        inside.ip([f"netns add {device}" for device in DEVICES])
        inside.ip([f"link add {port(s)} netns {l} type veth peer name {port(l)} netns {s}" for l, s in CABLES])
        inside.ip([f"link add swp31 netns {leaf} type veth peer name {leaf}" for leaf in LEAVES])
        inside.ip([f"link set {leaf} up" for leaf in LEAVES])
        network = LeafSpine(inside, Path(folder))
        for device in DEVICES:
            inside.ip(_interfaces(device), device)
            (network.folder / device).mkdir()
            (network.folder / device / "bgpd.conf").write_text("\n".join(_bgp(device)) + "\n")
        for daemon in ("zebra", "bgpd"):
            _start(network, daemon)
        yield network


def port(peer: str) -> str:
    """The port that leads to a device."""
    return f"swp{(LEAVES | SPINES)[peer]}"


def shortest(without: Sequence[Cable] = ()) -> Tables:
    """Towards what every other device tells of, all neighbours that are a hop closer."""
    graph = nx.Graph(cable for cable in CABLES if cable not in without)
    far = dict(nx.all_pairs_shortest_path_length(graph))
    return {
        device: {
            prefix: {peer for peer in graph[device] if far[peer][other] < far[device][other]}
            for other in DEVICES
            if other != device
            for prefix in _told(other)
        }
        for device in DEVICES
    }


def _cabled(device: str) -> list[tuple[str, str, str]]:
    """Each neighbour, the address towards it, and its own."""
    found = []
    for leaf, spine in CABLES:
        low, high = (f"10.1.{SPINES[spine]}.{2 * LEAVES[leaf] + end}" for end in (0, 1))
        if device == leaf:
            found.append((spine, low, high))
        elif device == spine:
            found.append((leaf, high, low))
    return found


def _interfaces(device: str) -> list[str]:
    ports = {"lo": f"{_router_id(device)}/32"} | {port(peer): f"{own}/31" for peer, own, _ in _cabled(device)}
    if device in LEAVES:
        ports["swp31"] = f"10.10.{LEAVES[device]}.1/24"
    return [line for name, own in ports.items() for line in (f"addr add {own} dev {name}", f"link set {name} up")]


def _router_id(device: str) -> str:
    return f"10.0.0.{LEAVES[device] + 10 if device in LEAVES else SPINES[device]}"


def _told(device: str) -> list[str]:
    """The prefixes that a device tells its neighbours of: itself, and its servers."""
    servers = [f"10.10.{LEAVES[device]}.0/24"] if device in LEAVES else []
    return [f"{_router_id(device)}/32", *servers]


def _bgp(device: str) -> list[str]:
    """The configuration of bgpd: what is lost is noticed within three seconds, what comes is told at once."""
    number = 65100 + LEAVES[device] if device in LEAVES else 65000 + SPINES[device]
    lines = [f"router bgp {number}", f" bgp router-id {_router_id(device)}"]
    lines += [" no bgp ebgp-requires-policy", " bgp bestpath as-path multipath-relax"]
    for _, _, peer in _cabled(device):
        said = ("remote-as external", "timers 1 3", "timers connect 1", "advertisement-interval 0")
        lines += [f" neighbor {peer} {words}" for words in said]
    networks = [f"  network {prefix}" for prefix in _told(device)]
    return [*lines, " address-family ipv4 unicast", "  maximum-paths 8", *networks]


def _start(network: LeafSpine, daemon: str) -> None:
    """Start a daemon on every device and wait for their sockets. Raises TimeoutError with the logs where one has none."""
    for device in DEVICES:
        folder = network.folder / device
        files = ["-z", str(folder / "zserv.api"), "-i", str(folder / f"{daemon}.pid"), "--vty_socket", str(folder)]
        configured = ["-f", str(folder / "bgpd.conf")] if daemon == "bgpd" else []
        network.inside.start(device, [daemon, *RIGHTS, *files, *configured], folder / f"{daemon}.log")
    until = time.monotonic() + WITHIN
    while silent := [device for device in DEVICES if not (network.folder / device / f"{daemon}.vty").exists()]:
        if time.monotonic() > until:
            raise TimeoutError("\n".join([f"{daemon} does not answer on {', '.join(silent)}", *network.logs()]))
        time.sleep(0.05)


def _used(device: str, table: dict[str, list[dict[str, object]]]) -> dict[str, set[str]]:
    """The neighbours that FRR's table sends packets to by what BGP told."""
    by_address = {address: peer for peer, _, address in _cabled(device)}
    found: dict[str, set[str]] = {}
    for prefix, rows in table.items():
        for row in rows:
            hops = row["nexthops"]
            if row["protocol"] == "bgp" and row.get("installed") and isinstance(hops, list):
                found[prefix] = {by_address[hop["ip"]] for hop in hops if hop.get("fib")}
    return found
