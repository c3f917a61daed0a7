"""Jellyfish (Singla, Hong, Popa and Godfrey, NSDI 2012): switches in a random regular graph.

The graph is made from the raw 64-bit stream of PCG64, which numpy promises never to change, so a seed means the same
fabric for ever:

1. Every switch has ``r`` stubs. Sorting the stubs by random keys and pairing neighbours gives a random multigraph.
2. A pair that is a loop or a repetition is repaired: it trades ends with a randomly chosen good pair, where both results
   are new; this keeps every degree.
3. Components are joined by trading ends between a pair that closes a circuit and a pair of another component.

Where ``r`` is more than half of what is possible the complement of a sparser random graph is taken. Cables are then
sorted, and every switch's ports are dealt in that order, after the hosts' ports.
"""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.generators.wiring import Cables, Design, check_size, even_hosts, padded, wire
from pauseproof.fabric.model import FabricKind

Pairs = NDArray[np.int64]  # [m, 2], lower end first, sorted
_PATIENCE = 1000  # draws per bad pair; with r at most half of n-1 nearly every other draw succeeds


def jellyfish(name: str, kind: FabricKind, *, switches: int, ports: int, hosts: int, seed: int = 0) -> Design:
    """``switches`` switches of ``ports`` ports, ``hosts`` of them to hosts, the others to random other switches."""
    degree = ports - hosts
    if degree < 1 or degree >= switches or switches * degree % 2:
        raise ValueError(
            f"each switch has ports - hosts = {degree} cables to other switches; that must be at least 1, "
            f"less than the number of switches, and its product with the {switches} switches must be even"
        )
    check_size(switches, switches * hosts, switches * ports)
    pairs = random_regular(switches, degree, seed)
    ends = pairs.ravel()
    order = np.argsort(ends, kind="stable")
    port = np.empty(len(ends), np.int64)
    port[order] = np.arange(len(ends)) % degree + hosts + 1
    cables = Cables.of(pairs[:, 0], port[0::2], pairs[:, 1], port[1::2])
    return Design(wire(name, kind, padded("s", switches), ports, even_hosts(switches, hosts), cables))


def random_regular(n: int, degree: int, seed: int) -> Pairs:
    """A connected simple graph in which each of ``n`` switches has ``degree`` neighbours.

    Raises ValueError where there is none (degree 1 and more than two switches).
    """
    if degree == 1 and n > 2:
        raise ValueError("with one cable each, more than two switches cannot be connected")
    draw = np.random.PCG64(seed)
    if 2 * degree > n - 1:
        return _complement(n, _simple(n, n - 1 - degree, draw))  # Dirac: every degree at least n/2, so connected
    return _connected(n, _simple(n, degree, draw))


def _simple(n: int, degree: int, draw: np.random.PCG64) -> Pairs:
    stubs = np.repeat(np.arange(n), degree)
    shuffled = stubs[np.argsort(draw.random_raw(len(stubs)), kind="stable")]
    pairs = np.sort(shuffled.reshape(-1, 2), axis=1)
    key = pairs[:, 0] * n + pairs[:, 1]
    first = np.zeros(len(key), bool)
    first[np.unique(key, return_index=True)[1]] = True
    bad = np.flatnonzero(~first | (pairs[:, 0] == pairs[:, 1]))
    return _repaired(n, pairs, key, bad.tolist(), draw)


def _repaired(n: int, pairs: Pairs, key: NDArray[np.int64], bad: list[int], draw: np.random.PCG64) -> Pairs:
    pending = set(bad)
    taken = set(np.delete(key, bad).tolist())
    for i in bad:
        for _ in range(_PATIENCE):
            raw = int(draw.random_raw())
            j, flip = (raw >> 1) % len(pairs), raw & 1
            (u, v), (x, y) = pairs[i].tolist(), pairs[j].tolist()
            x, y = (y, x) if flip else (x, y)
            one, two = (min(u, x), max(u, x)), (min(v, y), max(v, y))
            new = {one[0] * n + one[1], two[0] * n + two[1]}
            if j in pending or u == x or v == y or len(new) < 2 or new & taken:
                continue
            taken.remove(min(x, y) * n + max(x, y))
            taken |= new
            pairs[i], pairs[j] = one, two
            pending.discard(i)
            break
        else:
            raise ValueError("no simple graph was found with this seed; try another seed")
    return _sorted(pairs)


def _connected(n: int, pairs: Pairs) -> Pairs:
    parent = list(range(n))

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    spare, tree = [], [-1] * n  # pairs that close a circuit; one other pair of each component, by its root
    for i, (u, v) in enumerate(pairs.tolist()):
        u, v = root(u), root(v)
        if u == v:
            spare.append(i)
        else:
            parent[u], tree[v] = v, i
    circuit = {root(int(pairs[i, 0])): i for i in reversed(spare)}
    components = sorted(circuit)
    for other in components[1:]:
        i, j = circuit[components[0]], tree[other]
        (u, v), (x, y) = pairs[i].tolist(), pairs[j].tolist()
        pairs[i], pairs[j] = (min(u, x), max(u, x)), (min(v, y), max(v, y))
        circuit[components[0]] = circuit[other]  # still closes a circuit, now through the other component
    return _sorted(pairs) if len(components) > 1 else pairs


def _complement(n: int, pairs: Pairs) -> Pairs:
    absent = np.ones((n, n), bool)
    absent[pairs[:, 0], pairs[:, 1]] = False
    return np.argwhere(np.triu(absent, 1))


def _sorted(pairs: Pairs) -> Pairs:
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
