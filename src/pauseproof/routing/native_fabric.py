"""The fabric of a topology file: from its generator line, or from switches, hosts and cables written by hand.

By hand: a bare node name at the end of a cable takes the lowest port that no cable of the node names. Where every port of
a node is a number, that is the port; otherwise the ports are numbered in the order of their names, digits counting as
numbers.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.generators import Design, generate
from pauseproof.fabric.generators.wiring import MAX_CABLES, MAX_NODES
from pauseproof.fabric.model import Fabric, Ids, NodeKind
from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.fabric.tiers import switch_tiers
from pauseproof.readers.native_lines import CableLine, End, NativeFile, Word
from pauseproof.readers.suggest import expected_one_of

MAX_PORT = 0xFFFF
_PORT_NUMBER = re.compile(r"[1-9][0-9]{0,4}")


def design_of(native: NativeFile) -> Design:
    """The fabric that the file describes. Raises BadInput."""
    design = _generated(native) if native.generator else _by_hand(native)
    return replace(design, fabric=_without(design.fabric, native)) if native.without else design


def _generated(native: NativeFile) -> Design:
    assert native.generator is not None
    family = native.generator.family
    try:
        design = generate(family.text, native.generator.parameters, name=native.name, kind=native.kind)
    except ValueError as error:
        raise BadInput.at(family.place, f"no {family.text} is like this: {error}") from error
    speed, length = (_same(design.fabric, value) for value in (native.speed, native.length))
    return replace(design, fabric=replace(design.fabric, files=(native.path,), speed=speed, length=length))


def _same(fabric: Fabric, value: float) -> NDArray[np.float32] | None:
    return None if np.isnan(value) else np.full(fabric.n_links, value, np.float32)


class _Nodes:
    """The nodes of a file, and the ports that its cables use on each."""

    def __init__(self, native: NativeFile) -> None:
        self.names: list[Word] = [s.name for s in native.switches]
        self.ports = [s.ports for s in native.switches]
        self.n_switches = len(native.switches)
        self.cables = list(native.cables)
        self._add_hosts(native)
        self.id = {word.text: i for i, word in reversed(list(enumerate(self.names)))}
        self.problems: list[Problem] = []
        self.used: list[dict[str, int]] = [{} for _ in self.names]

    def _add_hosts(self, native: NativeFile) -> None:
        self.names += [h.name for h in native.hosts]
        self.ports += [h.ports for h in native.hosts]
        total = len(self.names) + sum(s.hosts for s in native.switches)
        if total > MAX_NODES or len(self.cables) + total > MAX_CABLES:
            raise BadInput.at(Place(native.path), f"describes {total} nodes; at most {MAX_NODES} are possible")
        for s in native.switches:
            width = len(str(max(s.hosts - 1, 0)))
            for i in range(s.hosts):
                name = Word(f"{s.name.text}-h{i:0{width}d}", s.name.place)
                self.names.append(name)
                self.ports.append(1)
                ends = End(s.name.text, "", name.place), End(name.text, "1", name.place)
                self.cables.append(CableLine(*ends, native.speed, native.length))

    def find(self, end: End) -> int:
        """The node at the end of a cable, -1 where there is none of that name."""
        node = self.id.get(end.node, -1)
        if node < 0:
            said = f"no switch or host is called {end.node!r}; {expected_one_of(end.node, self.id)}"
            self.problems.append(Problem(end.place, said))
        return node

    def number_ports(self) -> dict[int, list[str]]:
        """Fix the number of every named port; the names of the ports of nodes where they are not numbers."""
        named = {}
        ends = [end for cable in self.cables for end in (cable.a, cable.b)]
        for end in ends:
            if end.port and (node := self.id.get(end.node, -1)) >= 0:
                self.used[node].setdefault(end.port, 0)
        for node, used in enumerate(self.used):
            if all(map(_PORT_NUMBER.fullmatch, used)):
                used.update({port: int(port) for port in used})
            else:
                names = sorted(used, key=natural)
                used.update({port: i + 1 for i, port in enumerate(names)})
                named[node] = ["", *names]
        return named

    def free_ports(self, named: dict[int, list[str]]) -> list[int]:
        """Port numbers of all ends in order, bare ends taking the lowest free one."""
        taken = [set(used.values()) for used in self.used]
        lowest = [1] * len(self.names)
        out = []
        for end in (end for cable in self.cables for end in (cable.a, cable.b)):
            node = self.find(end)
            if node < 0:
                out.append(0)
                continue
            if end.port:
                out.append(self.used[node][end.port])
                continue
            if node in named:
                said = f"{end.node!r} has named ports ({', '.join(named[node][1:4])}...); name this one too: {end.node}:PORT"
                self.problems.append(Problem(end.place, said))
            while lowest[node] in taken[node]:
                lowest[node] += 1
            taken[node].add(lowest[node])
            out.append(lowest[node])
        for node, most in enumerate(max(ports, default=0) for ports in taken):
            self.ports[node] = max(most, int(node >= self.n_switches)) if self.ports[node] < 0 else self.ports[node]
        return out


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts ``swp2`` before ``swp10``.

    >>> sorted(["swp10", "swp2"], key=natural)
    ['swp2', 'swp10']
    """
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), part) if part.isdecimal() else (-1, part) for part in parts]


def _by_hand(native: NativeFile) -> Design:
    nodes = _Nodes(native)
    named = nodes.number_ports()
    port = np.array(nodes.free_ports(named), np.int32).reshape(-1, 2)
    refuse_if(sorted(nodes.problems, key=lambda problem: problem.place))
    end = np.array([(nodes.id[c.a.node], nodes.id[c.b.node]) for c in nodes.cables], np.int32).reshape(-1, 2)
    port_names: dict[int, Sequence[str]] = {
        i: [*ports, *[f"#{p}" for p in range(len(ports), nodes.ports[i] + 1)]] for i, ports in named.items()
    }
    cables = Cables(
        end[:, 0],
        port[:, 0],
        end[:, 1],
        port[:, 1],
        place=_places([c.a.place for c in nodes.cables]),
        speed=_known([c.speed for c in nodes.cables]),
        length=_known([c.length for c in nodes.cables]),
    )
    n, total = nodes.n_switches, len(nodes.names)
    stated = Nodes(
        [word.text for word in nodes.names],
        np.zeros(total, np.uint64),
        np.repeat(np.array([NodeKind.SWITCH, NodeKind.HOST], np.uint8), [n, total - n]),
        np.array(nodes.ports, np.int32),
        place=_places([word.place for word in nodes.names]),
        port_names=port_names,
    )
    fabric = make_fabric(native.name or native.path, native.kind, stated, cables, (native.path,))
    return Design(fabric, tier=_tiers(native, fabric))


def _tiers(native: NativeFile, fabric: Fabric) -> Ids:
    """The tiers that are given, and hops from the nearest host for the other switches."""
    tiers = switch_tiers(fabric) - 1
    given = {s.name.text: s.tier for s in native.switches if s.tier >= 0}
    for s in range(fabric.n_switches):
        tiers[s] = given.get(fabric.node_name[s], tiers[s])
    return tiers


def _places(places: list[Place]) -> Ids:
    return np.array([(0, place.line) for place in places], np.int32).reshape(-1, 2)


def _known(values: list[float]) -> NDArray[np.float32] | None:
    array = np.array(values, np.float32)
    return None if np.isnan(array).all() else array


def _without(fabric: Fabric, native: NativeFile) -> Fabric:
    """The fabric less the cables between the pairs of nodes that the file says are missing."""
    id_of = {name: i for i, name in enumerate(fabric.node_name)}
    gone, problems = np.zeros(fabric.n_links, bool), []
    for a, b in native.without:
        for word in (a, b):
            if word.text not in id_of:
                said = f"no switch or host is called {word.text!r}; {expected_one_of(word.text, id_of)}"
                problems.append(Problem(word.place, said))
        if a.text in id_of and b.text in id_of:
            i, j = id_of[a.text], id_of[b.text]
            cut = (fabric.link_src == i) & (fabric.link_dst == j) | (fabric.link_src == j) & (fabric.link_dst == i)
            if not cut.any():
                problems.append(Problem(a.place, f"{a.text!r} and {b.text!r} have no cable that could be missing"))
            gone |= cut
    refuse_if(problems)
    keep = np.flatnonzero(~gone)
    cut_down = {
        name: value[keep]
        for name in ("link_src", "link_src_port", "link_dst", "link_dst_port", "link_place", "speed", "length")
        if (value := getattr(fabric, name)) is not None
    }
    return replace(fabric, **cut_down)
