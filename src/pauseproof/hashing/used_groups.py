"""The groups of next hops that a switch really has: each set of links that its table lists for some destination, and the
number of the group where it has several over these links.

Notation: ``s`` a switch, ``d`` a column, ``l`` a link.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.routing.groups import Links
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, RowTable

Bools = NDArray[np.bool_]
_COLUMNS = 1 << 16  # unpacked at a time


def used_groups(network: Network, s: int) -> Sequence[tuple[Links, int]]:
    """(links, number) of the groups of ``s`` with more than one link, in that order: of next hops, and of ports of a bond.

    >>> from pauseproof.routing.native import load_native
    >>> used_groups(load_native("topologies/clos4x2.yaml"), 0)
    [((12, 16), 0)]
    """
    routes = network.routes
    found: set[tuple[Links, int]] = set()
    if isinstance(routes, ChoiceTable):
        found = _of_choices(routes, s)
    elif isinstance(routes, RowTable):
        found = {(links, 0) for links in _of_rows(routes, s)}
    return sorted(found | _bonds(network, s))


def _of_choices(table: ChoiceTable, s: int) -> set[tuple[Links, int]]:
    values = np.unique(table.value[s]).tolist()
    choices = {int(table.choice_of[s, v]) for v in values}
    routes = [table.choice(x) for x in choices]
    hashed = [route for route in routes if route.kind in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE)]
    return {(tuple(dict.fromkeys(route.links)), route.group) for route in hashed if len(set(route.links)) > 1}


def _of_rows(table: RowTable, s: int) -> set[Links]:
    out = table.out_links(s)
    found: set[Links] = set()
    words = max(1, _COLUMNS // 64)
    for start in range(0, table.rows.shape[1], words):
        part = np.ascontiguousarray(table.rows[out, start : start + words])
        bits = np.unpackbits(part.view(np.uint8), axis=1, bitorder="little")
        found |= {tuple(out[which].tolist()) for which in _patterns(bits[:, bits.sum(axis=0) > 1])}
    return found


def _patterns(bits: NDArray[np.uint8]) -> Iterator[NDArray[np.intp]]:
    """The rows that are set, for each different column of ``bits`` [links, columns]."""
    packed = np.packbits(bits, axis=0, bitorder="little")
    padded = np.pad(packed, ((0, -len(packed) % 8), (0, 0))).T
    words = np.ascontiguousarray(padded).view(np.uint64)
    for word in np.unique(words, axis=0) if words.shape[1] > 1 else np.unique(words).reshape(-1, 1):
        yield np.flatnonzero(np.unpackbits(word.view(np.uint8), bitorder="little"))


def _bonds(network: Network, s: int) -> set[tuple[Links, int]]:
    """The ports of a server that is on several ports of ``s``, by which ``s`` delivers."""
    found: set[tuple[Links, int]] = set()
    for d in _columns_of_bonds(network):
        route = network.routes.route(s, d)
        if route.kind is ChoiceKind.DELIVER and len(route.links) > 1:
            found.add((route.links, route.group))
    return found


def _columns_of_bonds(network: Network) -> list[int]:
    """Columns whose members, ascending, are several ports of one node."""
    ptr, member = network.destinations.member_ptr, network.destinations.member
    several = np.flatnonzero((np.diff(ptr) > 1) & (network.destinations.kind == DestinationKind.HOST))
    node = network.fabric.host_node
    bonds: list[int] = several[node[member[ptr[several]]] == node[member[ptr[several + 1] - 1]]].tolist()
    return bonds


def hashed_at_both(network: Network, s: int, t: int) -> bool:
    """Is some destination hashed at ``s`` over several links, one of them to switch ``t``, and at ``t`` over several again?

    >>> from pauseproof.routing.native import load_native
    >>> network = load_native("topologies/clos4x2.yaml")
    >>> hashed_at_both(network, 0, 4)
    False
    """
    several, onward = _hashed(network, s, t)
    return bool((several & onward & _hashed(network, t, -1)[0]).any())


def _hashed(network: Network, s: int, t: int) -> tuple[Bools, Bools]:
    """[D]: is the entry of ``s`` hashed over several links; does one of its links lead to ``t``?"""
    routes, dst = network.routes, network.fabric.link_dst
    if isinstance(routes, RowTable):
        out = routes.out_links(s)
        words = np.ascontiguousarray(routes.rows[out]).view(np.uint8)
        bits = np.unpackbits(words, axis=1, bitorder="little", count=routes.n_destinations)
        return bits.sum(axis=0) > 1, bits[dst[out] == t].any(axis=0)
    if not isinstance(routes, ChoiceTable):
        return np.zeros(len(network.destinations), np.bool_), np.zeros(len(network.destinations), np.bool_)
    meaning = [routes.choice(x) for x in routes.choice_of[s].tolist()]
    several = np.array([m.kind is ChoiceKind.HASHED and len(set(m.links)) > 1 for m in meaning], np.bool_)
    onward = np.array([any(dst[link] == t for link in m.links) for m in meaning], np.bool_)
    value = routes.value[s].astype(np.intp)
    return several[value], onward[value]
