"""Changed routes as lines, switch by switch: what to withdraw (``-``) and what to add (``+``), for people and scripts.

A line is ``SIGN DESTINATION via PORT (NEIGHBOUR PORT)``; spaces inside names are kept, what is not printable is escaped.
"""

from pauseproof.routing.network import Network
from pauseproof.routing.tables import Route


def route_file(before: Network, after: Network) -> str:
    """The lines of every switch whose entries differ; ``before`` and ``after`` have the same switches and columns."""
    fabric, lines = before.fabric, list[str]()
    for s in range(fabric.n_switches):
        of_switch = list[str]()
        for d in range(len(before.destinations)):
            was, now = before.routes.route(s, d), after.routes.route(s, d)
            if was != now:
                of_switch += _lines(before, d, was, now)
        if of_switch:
            lines += [f"switch {_safe(fabric.node_name[s])}", *of_switch]
    return "".join(f"{line}\n" for line in lines)


def _lines(network: Network, d: int, was: Route, now: Route) -> list[str]:
    name = _safe(str(network.destinations.names[d]))
    gone = [f"  - {name} via {_next_hop(network, link)}" for link in was.links if link not in now.links]
    return gone + [f"  + {name} via {_next_hop(network, link)}" for link in now.links if link not in was.links]


def _next_hop(network: Network, link: int) -> str:
    fabric, view = network.fabric, network.fabric.link(link)
    far = f"{_safe(fabric.node_name[view.dst])} {_safe(fabric.port_name(view.dst, view.dst_port))}"
    return f"{_safe(fabric.port_name(view.src, view.src_port))} ({far})"


def _safe(name: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode("ascii") for c in name)
