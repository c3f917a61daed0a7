"""Fabrics with coordinates: ring, mesh and torus of any dimension, and HyperX (Ahn et al., SC 2009).

Ports of a mesh or torus after the hosts': for each dimension the one towards higher coordinates, then the one towards
lower. A torus has a cable between the ends of every line of three or more switches (a line of two has its one cable).
Ports of a HyperX after the hosts': for each dimension one to every other coordinate, ascending.
"""

from typing import Literal

import numpy as np

from pauseproof.fabric.generators.wiring import Cables, Design, Grid, check_size, even_hosts, padded, wire
from pauseproof.fabric.model import FabricKind, Ids


def ring(name: str, kind: FabricKind, *, switches: int, hosts: int = 1) -> Design:
    """``switches`` switches in a ring, ``hosts`` hosts on each."""
    return torus(name, kind, size=(switches,), hosts=hosts)


def mesh(name: str, kind: FabricKind, *, size: tuple[int, ...], hosts: int = 1) -> Design:
    """A mesh of ``size[0] x size[1] x ...`` switches, ``hosts`` hosts on each."""
    return _grid(name, kind, "mesh", size, hosts)


def torus(name: str, kind: FabricKind, *, size: tuple[int, ...], hosts: int = 1) -> Design:
    """A torus of ``size[0] x size[1] x ...`` switches, ``hosts`` hosts on each."""
    return _grid(name, kind, "torus", size, hosts)


def hyperx(name: str, kind: FabricKind, *, size: tuple[int, ...], hosts: int = 1) -> Design:
    """A HyperX of ``size[0] x size[1] x ...`` switches, every line of them fully meshed, ``hosts`` hosts on each."""
    n = _count(size)
    check_size(n, n * hosts, n * (hosts + sum(size)))
    at, parts, base = _coordinates(size), [], hosts
    for dimension, length in enumerate(size):
        stride, here = _count(size[dimension + 1 :]), at[:, dimension]
        for other in range(1, length):
            low = np.flatnonzero(here < other)
            to = low + (other - here[low]) * stride
            parts.append(Cables.of(low, base + other, to, base + 1 + here[low]))
        base += length - 1
    cables = Cables.joined(parts) if parts else _none()
    fabric = wire(name, kind, padded("s", *size), base, even_hosts(n, hosts), cables)
    return Design(fabric, grid=Grid("hyperx", size, at))


def _grid(name: str, kind: FabricKind, shape: Literal["mesh", "torus"], size: tuple[int, ...], hosts: int) -> Design:
    n = _count(size)
    check_size(n, n * hosts, n * (hosts + len(size)))
    at, parts = _coordinates(size), [_none()]
    for dimension, length in enumerate(size):
        stride, here = _count(size[dimension + 1 :]), at[:, dimension]
        plus, minus = hosts + 1 + 2 * dimension, hosts + 2 + 2 * dimension
        low = np.flatnonzero(here < length - 1)
        parts.append(Cables.of(low, plus, low + stride, minus))
        if shape == "torus" and length > 2:
            end = np.flatnonzero(here == length - 1)
            parts.append(Cables.of(end, plus, end - (length - 1) * stride, minus))
    fabric = wire(name, kind, padded("s", *size), hosts + 2 * len(size), even_hosts(n, hosts), Cables.joined(parts))
    return Design(fabric, grid=Grid(shape, size, at))


def _count(size: tuple[int, ...]) -> int:
    product = 1
    for length in size:
        product *= length
    return product


def _coordinates(size: tuple[int, ...]) -> Ids:
    return np.stack(np.unravel_index(np.arange(_count(size)), size), axis=1).astype(np.int32)


def _none() -> Cables:
    return Cables.of(*(np.zeros(0, np.int32),) * 4)
