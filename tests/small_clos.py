"""Ethernet networks by hand, and their entries in words: ``"leaf1>spine1"`` links, ``"drop"``, ``"unknown"``, ``"dead"``."""

from collections.abc import Mapping, Sequence
from typing import Any

from pauseproof.routing.ethernet import ethernet_network
from pauseproof.routing.ethernet_records import EthernetRecords
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind
from roce_by_hand import Said, cables, routes

WORDS = {ChoiceKind.DROP: "drop", ChoiceKind.UNKNOWN: "unknown", ChoiceKind.DEAD_PORT: "dead", ChoiceKind.LOCAL: "local"}
LEAF_SPINE = ("leaf1:swp1 spine1:swp1", "leaf1:swp2 spine2:swp1", "leaf2:swp1 spine1:swp2", "leaf2:swp2 spine2:swp2")
TABLES: dict[str, dict[str, Said]] = {
    "leaf1": {
        "10.1.1.2/31": "swp1",
        "10.1.2.2/31": "swp2",
        "10.10.1.0/24": "swp31",
        "10.10.2.0/24": ["10.1.1.3 swp1", "10.1.2.3 swp2"],
    },
    "leaf2": {
        "10.1.1.4/31": "swp1",
        "10.1.2.4/31": "swp2",
        "10.10.2.0/24": "swp31",
        "10.10.1.0/24": ["10.1.1.5 swp1", "10.1.2.5 swp2"],
    },
    "spine1": {
        "10.1.1.2/31": "swp1",
        "10.1.1.4/31": "swp2",
        "10.10.1.0/24": ["10.1.1.2 swp1"],
        "10.10.2.0/24": ["10.1.1.4 swp2"],
    },
    "spine2": {
        "10.1.2.2/31": "swp1",
        "10.1.2.4/31": "swp2",
        "10.10.1.0/24": ["10.1.2.2 swp1"],
        "10.10.2.0/24": ["10.1.2.4 swp2"],
    },
}


def clos(
    changes: Mapping[str, Mapping[str, Said | None]] | None = None, cabled: Sequence[str] = LEAF_SPINE, **more: Any
) -> Network:
    """Two leaves under two spines, with rows of their tables changed; None takes a row away."""
    rows = {name: dict(table) for name, table in TABLES.items()}
    for name, change in (changes or {}).items():
        table = rows.setdefault(name, {})
        for prefix, said in change.items():
            if said is None:
                del table[prefix]
            else:
                table[prefix] = said
    tables = [routes(name, table) for name, table in rows.items()]
    return ethernet_network(EthernetRecords(**{"cables": [cables(*cabled)], "routes": tables, **more}), "clos")


def link_words(network: Network, link: int) -> str:
    fabric = network.fabric
    view = fabric.link(link)
    return f"{fabric.node_name[view.src]}>{fabric.node_name[view.dst]}"


def entry(network: Network, switch: str, column: str) -> str:
    """What a switch does with packets of a column."""
    s, d = list(network.fabric.node_name).index(switch), list(network.destinations.names).index(column)
    return words(network, s, d)


def words(network: Network, s: int, d: int) -> str:
    route = network.routes.route(s, d)
    if route.kind in WORDS:
        return WORDS[route.kind]
    links = " ".join(sorted(link_words(network, link) for link in route.links))
    return f"{'deliver ' if route.kind == ChoiceKind.DELIVER else ''}{links}"


def members(network: Network) -> dict[str, list[str]]:
    """Hosts by column."""
    fabric = network.fabric
    return {
        str(name): [f"{fabric.host(h).name}" for h in network.destinations.members(d)]
        for d, name in enumerate(network.destinations.names)
    }


def remarks(network: Network, rule: str) -> list[str]:
    return [remark.message for remark in network.remarks if remark.rule == rule]
