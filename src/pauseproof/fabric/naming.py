"""How messages name what a fabric has: ports and links with their devices, hosts, and the first of many names.

A *title* is for people. An *identity* is the same from every input format, and what findings are known by.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pauseproof.fabric.model import Fabric


def port_title(fabric: "Fabric", node: int, port: int) -> str:
    """A port and whose it is."""
    return f"{fabric.node_name[node]} port {fabric.port_name(node, port)}"


def port_identity(fabric: "Fabric", node: int, port: int) -> str:
    """``device/port``."""
    return f"{fabric.identity(node)}/{fabric.port_name(node, port)}"


def link_title(fabric: "Fabric", link: int) -> str:
    """Both ends of a link."""
    view = fabric.link(link)
    return f"{port_title(fabric, view.src, view.src_port)} -> {port_title(fabric, view.dst, view.dst_port)}"


def link_identity(fabric: "Fabric", link: int) -> str:
    """The port at the receiving end of a link, which no other link has."""
    view = fabric.link(link)
    return port_identity(fabric, view.dst, view.dst_port)


def host_title(fabric: "Fabric", host: int) -> str:
    """A host by its node's name, with the port where the node has several cabled ones."""
    view = fabric.host(host)
    several = int((fabric.host_node == view.node).sum()) > 1
    return port_title(fabric, view.node, view.port) if several else view.name


def hosts_called(fabric: "Fabric", word: str) -> tuple[int, ...]:
    """The hosts that ``NODE`` means, in the order of their ports, or the one that ``NODE:PORT`` does; names come first."""
    if found := fabric.hosts_by_name.get(word):
        return found
    name, _, port = word.rpartition(":")
    views = map(fabric.host, fabric.hosts_by_name.get(name, ()))
    return tuple(view.id for view in views if fabric.port_name(view.node, view.port) == port)


def some(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> some(["a", "b"], 2), some(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
