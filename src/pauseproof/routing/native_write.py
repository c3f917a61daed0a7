"""Writes topology files: the one line of a generator, or every switch, host and cable of a fabric."""

from collections.abc import Mapping, Sequence

import numpy as np

from pauseproof.fabric.generators import GENERATORS, Design, generate
from pauseproof.fabric.generators.wiring import Cables
from pauseproof.fabric.model import Fabric, FabricKind
from pauseproof.readers.suggest import expected_one_of
from pauseproof.routing.engines import ENGINES

Value = int | tuple[int, ...]


def write_generated(
    kind: str,
    params: Mapping[str, Value],
    *,
    fabric_kind: FabricKind = "roce",
    routing: str = "ecmp",
    roots: Sequence[str] = (),
    expanded: bool = False,
) -> str:
    """The topology file of one generator line; with ``expanded`` its cables one by one, with the same ports.

    >>> print(write_generated("fat-tree", {"k": 8}))
    kind: roce
    fat-tree: {k: 8}
    routing: ecmp
    <BLANKLINE>

    ``roots`` go with the engine ``updown``. Raises ValueError where there is no such family, parameter, engine or fabric.
    """
    _check(kind, params)
    head, tail = f"kind: {fabric_kind}\n", f"routing: {_routing(routing, roots, expanded)}\n"
    if not expanded:
        values = ", ".join(f"{name}: {list(value) if isinstance(value, tuple) else value}" for name, value in params.items())
        return f"{head}{kind}: {{{values}}}\n{tail}"
    return head + write_design(generate(kind, params, kind=fabric_kind)) + tail


def _routing(engine: str, roots: Sequence[str], expanded: bool) -> str:
    if engine not in ENGINES:
        raise ValueError(f"no engine is called {engine!r}; {expected_one_of(engine, ENGINES)}")
    if expanded and ENGINES[engine].needs == "grid":
        raise ValueError(f"{engine} needs the coordinates that only the generator line has; do not expand it")
    if (ENGINES[engine].needs == "roots") != bool(roots):
        raise ValueError(f"{engine} {'has no' if roots else 'needs'} roots")
    return f"{{engine: {engine}, roots: [{', '.join(roots)}]}}" if roots else engine


def _check(kind: str, params: Mapping[str, Value]) -> None:
    if kind not in GENERATORS:
        raise ValueError(f"no generator is called {kind!r}; {expected_one_of(kind, GENERATORS)}")
    known = {p.name: p for p in GENERATORS[kind].parameters}
    for name, value in params.items():
        if name not in known:
            raise ValueError(f"{kind} has no parameter {name!r}; {expected_one_of(name, known)}")
        given = value if isinstance(value, tuple) else (value,)
        if isinstance(value, tuple) != (known[name].type == "integers") or min(given, default=-1) < known[name].least:
            what = "a whole number" if known[name].type == "integer" else "a list of whole numbers"
            raise ValueError(f"{name} of {kind} must be {what} of at least {known[name].least}")
    for p in known.values():
        if p.default is None and p.name not in params:
            raise ValueError(f"{kind} needs {p.name}: {p.doc}")


def write_design(design: Design) -> str:
    """``switches``, ``hosts`` and ``cables`` of a fabric."""
    fabric, n = design.fabric, design.fabric.n_switches
    lines = ["switches:"]
    for s in range(n):
        tier = "" if design.tier is None else f", tier: {int(design.tier[s])}"
        lines.append(f"  {fabric.node_name[s]}: {{ports: {int(fabric.node_ports[s])}{tier}}}")
    lines += ["hosts:"] if fabric.n_nodes > n else []
    lines += [f"  {fabric.node_name[i]}: {{ports: {int(fabric.node_ports[i])}}}" for i in range(n, fabric.n_nodes)]
    cables = cables_of(fabric)
    lines += ["cables:"] if len(cables.a) else []
    for a, a_port, b, b_port in zip(*(column.tolist() for column in cables), strict=True):
        ends = f"{fabric.node_name[a]}:{fabric.port_name(a, a_port)}, {fabric.node_name[b]}:{fabric.port_name(b, b_port)}"
        lines.append(f"  - [{ends}]")
    return "\n".join(lines) + "\n"


def cables_of(fabric: Fabric) -> Cables:
    """Every cable once, by its lower end."""
    one = np.flatnonzero(np.arange(fabric.n_links) > fabric.reverse)
    one = one[np.lexsort((fabric.link_src_port[one], fabric.link_src[one]))]
    return Cables.of(fabric.link_src[one], fabric.link_src_port[one], fabric.link_dst[one], fabric.link_dst_port[one])
