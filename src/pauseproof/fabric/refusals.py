"""What no cabling can be, in words: twins, ports beyond a radix, ports cabled twice. Each function lists problems.

Notation: ``i`` a node as stated, ``c`` a statement of a cable.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Problem
from pauseproof.fabric.statements import Cables, Nodes, place_of

MAX_PORTS = 0xFFFF  # of one node; InfiniBand itself ends at 254
I64 = NDArray[np.int64]


def twins(nodes: Nodes, files: Sequence[str]) -> list[Problem]:
    """Two nodes with one GUID, or with one name where there are no GUIDs."""
    by_guid = np.argsort(nodes.guid, kind="stable")
    guid = nodes.guid[by_guid]
    pairs = [(int(by_guid[k]), int(by_guid[k + 1])) for k in np.flatnonzero((guid[1:] == guid[:-1]) & (guid[1:] != 0))]
    first: dict[str, int] = {}
    for i in np.flatnonzero(nodes.guid == 0).tolist():
        if (j := first.setdefault(nodes.name[i], i)) != i:
            pairs.append((j, i))
    return [
        Problem(
            place_of(files, nodes.place, later),
            f"the node {nodes.words(later)} is there twice, first at {place_of(files, nodes.place, i)};"
            " every node has an identity of its own",
        )
        for i, later in pairs
    ]


def impossible_radices(nodes: Nodes, files: Sequence[str]) -> list[Problem]:
    """Numbers of ports that no device has."""
    return [
        Problem(
            place_of(files, nodes.place, i),
            f"{nodes.words(i)} has {int(nodes.ports[i])} ports; 0 to {MAX_PORTS} are possible",
        )
        for i in np.flatnonzero((nodes.ports < 0) | (nodes.ports > MAX_PORTS)).tolist()
    ]


def impossible_ends(nodes: Nodes, cables: Cables, files: Sequence[str]) -> list[Problem]:
    """Ends at a node that is not there, or at a port that the node does not have."""
    out: list[Problem] = []
    radix = np.append(nodes.ports, 0)
    for node, port in ((cables.a, cables.a_port), (cables.b, cables.b_port)):
        absent = (node < 0) | (node >= len(nodes.name))
        beyond = (port < 1) | (port > radix[np.where(absent, -1, node)])
        for c in np.flatnonzero(absent | beyond).tolist():
            said = "the cable leads to a node that is declared nowhere"
            if not absent[c]:
                i = int(node[c])
                said = f"{nodes.port_words(i, int(port[c]))} cannot be cabled: its ports are 1 to {int(radix[i])}"
            out.append(Problem(place_of(files, cables.place, c), said))
    return sorted(out, key=lambda problem: problem.place)


def ports_cabled_twice(nodes: Nodes, cables: Cables, files: Sequence[str], node: I64, port: I64, c: I64) -> list[Problem]:
    """Ports that two different cables end at. ``node``, ``port``, ``c`` [2 x cables] list every end of every cable once."""
    by_port = np.lexsort((c, port, node))
    node, port, c = node[by_port], port[by_port], c[by_port]
    again = (node[1:] == node[:-1]) & (port[1:] == port[:-1]) & (c[1:] != c[:-1])
    out = []
    for k in np.flatnonzero(again).tolist():
        i, p, first, later = int(node[k]), int(port[k]), int(c[k]), int(c[k + 1])
        here, there = cables.far_end(later, i, p), cables.far_end(first, i, p)
        said = (
            f"{nodes.port_words(i, p)} is cabled twice: here to {nodes.port_words(*here)},"
            f" at {place_of(files, cables.place, first)} to {nodes.port_words(*there)}; a port has one cable"
        )
        out.append(Problem(place_of(files, cables.place, later), said))
    return sorted(out, key=lambda problem: problem.place)


def ports_cabled_to_themselves(nodes: Nodes, cables: Cables, files: Sequence[str]) -> list[Problem]:
    """Cables both of whose ends are one port."""
    same = (cables.a == cables.b) & (cables.a_port == cables.b_port)
    return [
        Problem(
            place_of(files, cables.place, c),
            f"{nodes.port_words(int(cables.a[c]), int(cables.a_port[c]))} is cabled to itself",
        )
        for c in np.flatnonzero(same).tolist()
    ]
