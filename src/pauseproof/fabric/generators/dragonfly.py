"""Dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): groups of fully meshed switches, every pair of groups joined directly.

The global ports of a group are numbered switch by switch. Seen from group ``g`` the other groups, ascending, are dealt
one port each, round after round, for as many whole rounds as the ports allow; what is left over stays without a cable.
"""

import numpy as np

from pauseproof.fabric.generators.wiring import Cables, Design, check_size, even_hosts, padded, wire
from pauseproof.fabric.model import FabricKind


def dragonfly(name: str, kind: FabricKind, *, a: int, h: int, hosts: int = 1, groups: int = -1) -> Design:
    """``groups`` groups (-1: a*h+1) of ``a`` switches, each with ``hosts`` hosts and ``h`` global ports.

    Ports: hosts, then the other switches of the group ascending, then the global ports.
    """
    g = a * h + 1 if groups < 0 else groups
    if g > a * h + 1:
        raise ValueError(f"{g} groups cannot all be joined: {a} switches with {h} global ports reach {a * h} other groups")
    n = a * g
    rounds = a * h // (g - 1) if g > 1 else 0
    check_size(n, n * hosts, n * (hosts + a + h))
    group, low, high = np.ix_(np.arange(g), np.arange(a), np.arange(a))
    keep = np.broadcast_to(low < high, (g, a, a)).ravel()
    local = Cables.of(group * a + low, hosts + high, group * a + high, hosts + 1 + low)
    local = Cables(*(column[keep] for column in local))
    one, two, turn = (x.ravel() for x in np.meshgrid(np.arange(g), np.arange(g), np.arange(rounds), indexing="ij"))
    one, two, turn = (x[one < two] for x in (one, two, turn))
    first, second = turn * (g - 1) + two - 1, turn * (g - 1) + one
    base = hosts + a
    remote = Cables.of(one * a + first // h, base + first % h, two * a + second // h, base + second % h)
    fabric = wire(name, kind, padded("s", g, a), base - 1 + h, even_hosts(n, hosts), Cables.joined([local, remote]))
    return Design(fabric)
