"""What an unlucky copy or an attacker makes of the dumps of Ethernet switches, and what a naive walk says of the result.

A case is the files of a folder by name. ``rerouted`` gives FRR's tables other rows, which stay whole and well-formed, so that
:func:`naive_dependencies` can say what must be found in them; ``damaged`` changes JSON anywhere; ``lost`` takes something away.
"""

import json
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from random import Random
from typing import Any

from hostile_inputs import Files, cut_anywhere

FRR = Path(__file__).resolve().parents[1] / "topologies" / "frr"
CABLING = "clos4x2.layer1_topology.json"
TABLE = ".show_ip_route.json"
SERVERS = "swp31"
Link = tuple[str, str]  # device, port by which it is left
Table = dict[str, list[dict[str, Any]]]
Rows = dict[IPv4Network, set[str]]


def frr_case(name: str, form: str) -> Files:
    """The tables of one form of a case under topologies/frr, with the cabling; JSON on lines of its own."""
    files = [*sorted((FRR / name).glob(form)), FRR / CABLING]
    return {file.name: dumped(json.loads(file.read_bytes())) for file in files}


def dumped(value: Any) -> bytes:
    """As FRR writes JSON: a value a line."""
    return (json.dumps(value, indent=1) + "\n").encode()


def rerouted(files: Files, random: Random) -> Files:
    """One to four rows of FRR's tables say something else."""
    out = dict(files)
    for _ in range(random.choice((1, 1, 2, 4))):
        name = random.choice([name for name in out if name.endswith(TABLE)])
        table: Table = json.loads(out[name])
        _reroute(table, random)
        out[name] = dumped(table)
    return out


def _reroute(table: Table, random: Random) -> None:
    """A row is gone, or says what another says, or does so for a part of its prefix, or for all addresses; or drops."""
    learned = [prefix for prefix, entries in table.items() if entries[0]["protocol"] == "bgp"]
    if not learned:
        return
    prefix, like = random.choice(learned), random.choice(learned)
    match random.choice(("gone", "swapped", "part", "default", "dropped", "one")):
        case "gone":
            del table[prefix]
        case "swapped":
            _say(table, prefix, table[like][0])
        case "part":
            parts = list(IPv4Network(prefix).subnets(new_prefix=random.choice((25, 28, 32)))) if prefix.endswith("/24") else []
            _say(table, str(random.choice(parts or [IPv4Network(prefix)])), table[like][0])
        case "default":
            _say(table, "0.0.0.0/0", table[like][0])
            table.pop(prefix, None)
        case "dropped":
            _say(table, prefix, table[like][0] | {"nexthops": [{"fib": True, "unreachable": True, "blackhole": True}]})
        case "one":
            _say(table, prefix, table[prefix][0] | {"nexthops": table[prefix][0]["nexthops"][:1]})


def _say(table: Table, prefix: str, entry: dict[str, Any]) -> None:
    table[prefix] = [entry | {"prefix": prefix, "prefixLen": int(prefix.partition("/")[2])}]


def damaged(files: Files, random: Random) -> Files:
    """Some value of one JSON file is gone, is there twice, or is another."""
    name = random.choice(sorted(name for name in files if name.endswith(".json")))
    value = json.loads(files[name])
    for _ in range(random.choice((1, 1, 3))):
        places = list(_places(value))
        if places:
            holder, key = random.choice(places)
            other_holder, other = random.choice(places)
            strange = random.choice((*STRANGE, other_holder[other], other_holder[other]))
            if random.random() < 0.4:
                del holder[key]
            elif isinstance(holder, list) and random.random() < 0.3:
                holder.append(holder[key])
            else:
                holder[key] = json.loads(json.dumps(strange))
    return files | {name: dumped(value)}


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(holder, key) of every value inside."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


STRANGE: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1 << 70, "", "0.0.0.0/0", "::/0", "10.10.1.1/32", "fe80::1", "swp1", "swp31", "lo", "Vlan10"),
    *([], {}, [[]], {"a": 1}, "\x1b[2J<script>&", "leaf1", "\u202e", "spine1\n"),
)


def lost(files: Files, random: Random, others: Files) -> Files:
    """A file, its end, some cables or next-hop objects are missing, or another moment's dump of a switch is there too."""
    tables = sorted(set(files) - {CABLING})
    name = random.choice(tables)
    out = dict(files)
    match random.choice(("file", "end", "end of cabling", "cables", "moment", "objects")):
        case "file":
            del out[name]
        case "end":
            out[name] = cut_anywhere(out[name], random)
        case "end of cabling":
            out[CABLING] = cut_anywhere(out[CABLING], random)
        case "cables":
            edges = json.loads(out[CABLING])["edges"]
            out[CABLING] = dumped({"edges": random.sample(edges, random.randrange(1, len(edges)))})
        case "moment":
            out[name.replace(".", ".again.", 1)] = others[name]
        case "objects":
            out = {n: text for n, text in out.items() if "nexthop" not in n}
    return out


def naive_dependencies(files: Files) -> set[tuple[Link, Link]]:
    """Link to link: from every server to every address beside an end of a prefix that is a server's, by plain longest match.

    An address of a leaf's subnet for which the leaf has a longer row is nobody's.
    """
    tables = {name.removesuffix(TABLE): _rows(json.loads(text)) for name, text in files.items() if name.endswith(TABLE)}
    far = _far(json.loads(files[CABLING]))
    leaves = {device for device, rows in tables.items() if {SERVERS} in rows.values()}
    numbers = {int(network[end]) for rows in tables.values() for network in rows for end in (0, -1)}
    out: set[tuple[Link, Link]] = set()
    for number in {n + step for n in numbers for step in (-1, 0, 1) if 0 <= n + step < 1 << 32}:
        owners = {leaf for leaf in leaves if _ports(tables[leaf], IPv4Address(number)) == {SERVERS}}
        for source in leaves - owners if owners else ():
            out |= _walked(tables, far, source, IPv4Address(number))
    return out


def _walked(tables: dict[str, Rows], far: dict[Link, str], source: str, address: IPv4Address) -> set[tuple[Link, Link]]:
    """What packets from one server to one address wait for."""
    out: set[tuple[Link, Link]] = set()
    todo = [(("server of " + source, ""), source)]
    while todo:
        link, device = todo.pop()
        for port in _ports(tables[device], address):
            if (link, (device, port)) not in out:
                out.add((link, (device, port)))
                todo += [((device, port), far[device, port])] if port != SERVERS else []
    return out


def _ports(rows: Rows, address: IPv4Address) -> set[str]:
    """Where the longest match sends an address."""
    around = [network for network in rows if address in network]
    return rows[max(around, key=lambda network: network.prefixlen)] if around else set()


def _rows(table: Table) -> Rows:
    return {
        IPv4Network(prefix): {str(hop["interfaceName"]) for hop in entries[0]["nexthops"] if "interfaceName" in hop}
        for prefix, entries in table.items()
    }


def _far(cabling: Any) -> dict[Link, str]:
    ends = [[(end["hostname"], end["interfaceName"]) for end in edge.values()] for edge in cabling["edges"]]
    return {a: b[0] for pair in ends for a, b in (pair, pair[::-1])}
