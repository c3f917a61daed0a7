"""Fabrics made from a line: one file per family, and the table of what each family can be given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pauseproof.fabric.generators.clos import fat_tree, leaf_spine
from pauseproof.fabric.generators.dragonfly import dragonfly
from pauseproof.fabric.generators.grids import hyperx, mesh, ring, torus
from pauseproof.fabric.generators.jellyfish import jellyfish
from pauseproof.fabric.generators.wiring import Design, Grid
from pauseproof.fabric.model import FabricKind

__all__ = ["GENERATORS", "Design", "Generator", "Grid", "Parameter", "generate"]

Value = int | tuple[int, ...]


@dataclass(frozen=True)
class Parameter:
    """One parameter: a whole number of at least ``least``, or a list of such. ``default`` None: it must be given."""

    name: str
    doc: str
    least: int
    type: Literal["integer", "integers"] = "integer"
    default: int | None = None


@dataclass(frozen=True)
class Generator:
    """One family: what it is, its parameters, and the function that makes it (which may raise ValueError)."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    make: Callable[..., Design]

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; KeyError where there is none."""
        return {p.name: p for p in self.parameters}[name]


_HOSTS = Parameter("hosts", "hosts on each switch", 0, default=1)
_SIZE = Parameter("size", "switches along each dimension", 1, type="integers")

GENERATORS: dict[str, Generator] = {
    g.name: g
    for g in (
        Generator(
            "fat-tree",
            "three tiers of k-port switches",
            (
                Parameter("k", "ports of every switch, even", 2),
                Parameter("hosts", "hosts on each edge switch, -1 for k/2", -1, default=-1),
            ),
            fat_tree,
        ),
        Generator(
            "leaf-spine",
            "every leaf cabled to every spine",
            (
                Parameter("leaves", "leaf switches", 1),
                Parameter("spines", "spine switches", 1),
                Parameter("hosts", "hosts on each leaf", 0, default=1),
                Parameter("cables", "parallel cables of a leaf and a spine", 1, default=1),
            ),
            leaf_spine,
        ),
        Generator("ring", "a ring of switches", (Parameter("switches", "switches in the ring", 1), _HOSTS), ring),
        Generator("mesh", "a mesh of any dimension", (_SIZE, _HOSTS), mesh),
        Generator("torus", "a torus of any dimension", (_SIZE, _HOSTS), torus),
        Generator("hyperx", "lines of fully meshed switches in every dimension", (_SIZE, _HOSTS), hyperx),
        Generator(
            "dragonfly",
            "fully meshed groups, every pair of groups joined",
            (
                Parameter("a", "switches of a group", 1),
                Parameter("h", "global ports of a switch", 1),
                _HOSTS,
                Parameter("groups", "groups, -1 for a*h+1", -1, default=-1),
            ),
            dragonfly,
        ),
        Generator(
            "jellyfish",
            "a random regular graph of switches",
            (
                Parameter("switches", "switches", 2),
                Parameter("ports", "ports of every switch, hosts' included", 1),
                Parameter("hosts", "hosts on each switch", 0),
                Parameter("seed", "which random graph", 0, default=0),
            ),
            jellyfish,
        ),
    )
}


def generate(family: str, parameters: Mapping[str, Value], *, name: str = "", kind: FabricKind = "roce") -> Design:
    """The fabric of one generator line.

    >>> generate("ring", {"switches": 5}).fabric.n_links
    20

    Raises KeyError for an unknown family, ValueError for parameters that make no fabric.
    """
    return GENERATORS[family].make(name or family, kind, **parameters)
