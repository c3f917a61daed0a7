"""A real dump, edited: for tests of how files become a network."""

import re
from collections.abc import Mapping
from pathlib import Path

import pauseproof
from hostile_inputs import case
from pauseproof.routing.network import Network
from pauseproof.routing.tables import Route

RING = {name: data.decode() for name, data in case("ring5_minhop").items()}
LASH = {name: data.decode() for name, data in case("ring5_lash").items()}
FDBS, LST = "opensm.fdbs", "opensm-subnet.lst"


def network_of(folder: Path, files: Mapping[str, str]) -> Network:
    """Write ``files`` into ``folder`` and load it."""
    for name, text in files.items():
        (folder / name).write_text(text)
    return pauseproof.load(folder)


def edited(files: Mapping[str, str], name: str, pattern: str, replacement: str, *, times: int = 1) -> dict[str, str]:
    """``files`` with ``pattern``, which is in ``name`` so many times, replaced."""
    text, found = re.subn(pattern, replacement, files[name], flags=re.M | re.S)
    assert found == times
    return {**files, name: text}


def column(network: Network, name: str) -> int:
    """The column of a LID."""
    return list(network.destinations.names).index(name)


def at(network: Network, switch: str, lid: str) -> Route:
    """The entry of a switch for a LID."""
    return network.routes.route(list(network.fabric.node_name).index(switch), column(network, lid))


def ports(network: Network, route: Route) -> list[int]:
    """The out-ports of an entry."""
    return [network.fabric.link(l).src_port for l in route.links]


def slugs(network: Network) -> list[str]:
    """The rules of the remarks."""
    return [remark.rule for remark in network.remarks]
