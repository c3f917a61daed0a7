"""A topology file as a :class:`Network`: its cabling, its computed or given routes, its lanes, its traffic.

Adaptive routes are ``committed`` unless the file says ``adaptive: reselecting``: a switch that fixes the link when it
enqueues the packet is a hash as far as deadlock goes.
"""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.generators import Design
from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.places import BadInput, Place
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers import native as native_reader
from pauseproof.readers.native_lines import NativeFile
from pauseproof.readers.source import open_source
from pauseproof.routing.convert import choice_table_from_rows, choices_with, rows_with
from pauseproof.routing.engines import ENGINES
from pauseproof.routing.engines.bgp import Speakers
from pauseproof.routing.engines.escape import escape_lanes, with_escape
from pauseproof.routing.engines.levels import Rows, origin_rows, words
from pauseproof.routing.hash_facts import HashFacts, declared_facts
from pauseproof.routing.native_addresses import given_addresses
from pauseproof.routing.native_bgp import TIES, speakers_of
from pauseproof.routing.native_columns import Columns, columns_of, traffics_of
from pauseproof.routing.native_fabric import design_of
from pauseproof.routing.native_lanes import lanes_of
from pauseproof.routing.native_names import Names
from pauseproof.routing.native_tables import Overrides, overrides_of
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, RowTable

MOST_BYTES = 16 << 30  # of tables
ONE_LANE = "one lossless lane: the topology file names no lanes"
COMPUTED = "routes are computed by {} from the cabling, not read from switches"


class Told(NamedTuple):
    """What engines are told beyond the cabling: the roots of up*/down*, and the switches as BGP speakers."""

    roots: list[int]
    speakers: Speakers | None


def load_native(path: str | Path) -> Network:
    """The network of a topology file. Raises BadInput."""
    return network_of(native_reader.read(open_source(path)))


def network_of(native: NativeFile) -> Network:
    """The network that a topology file describes. Raises BadInput with every name in it that means nothing."""
    design = design_of(native)
    fabric = design.fabric
    names = Names(fabric, design.tier)
    columns = columns_of(native, fabric, names)
    lanes = _lanes(native, names)
    traffics = traffics_of(native, columns, names)
    overrides = overrides_of(native, columns, names)
    roots = names.switches(native.routing.roots) if native.routing and native.routing.roots else []
    told = Told(roots, speakers_of(native, design, names))
    reselects = _reselects(native, names)
    hashes = declared_facts(native.hashing, names) if native.hashing is not None else HashFacts()
    addresses = given_addresses(native, names)
    refuse_if(sorted(set(names.problems), key=lambda problem: (problem.place, problem.message)))
    engine = engine_of(native)
    return Network(
        fabric,
        columns.destinations,
        _routes(native, design, columns, overrides, told),
        lanes,
        traffics,
        assumptions=_assumptions(native, engine),
        reselects=reselects,
        tables_read=fabric.n_switches if engine == "tables" else 0,
        notes={"routing": engine, "expected": dict(native.expected)},
        bundle=_parallel_cables(fabric) if native.parallel is not None and native.parallel.text == "bundle" else None,
        hashes=hashes,
        addresses=addresses,
    )


def _parallel_cables(fabric: Fabric) -> Ids:
    """[L]: the same number for all links from one node to another."""
    pairs = np.stack([fabric.link_src, fabric.link_dst])
    return np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _reselects(native: NativeFile, names: Names) -> NDArray[np.bool_]:
    """[S]: switches that keep a choice by load open until the packet leaves."""
    out = np.zeros(names.fabric.n_switches, np.bool_)
    if native.reselecting:
        out[names.switches(native.reselecting)] = True
    return out


def _lanes(native: NativeFile, names: Names) -> Lanes:
    """The file's own lanes, or the two that an escape needs."""
    escape = native.routing.escape if native.routing else None
    if escape is None:
        return lanes_of(native, names)
    if native.lanes != ("0",) or len(native.labels) > 1 or native.lane_rules:
        names.wrong(escape, "an escape has labels and lanes of its own; leave out lanes, labels and lane-rules")
    return escape_lanes(names.fabric.n_hosts)


def engine_of(native: NativeFile) -> str:
    """What computes the routes: what the file says, else nothing where it has tables and no generator, else ECMP."""
    if native.routing is not None:
        return native.routing.engine.text
    return "tables" if native.tables and native.generator is None else "ecmp"


def _routes(native: NativeFile, design: Design, columns: Columns, overrides: Overrides, told: Told) -> RowTable | ChoiceTable:
    """Bit rows where every entry is hashed and there is one label; choices otherwise."""
    fabric, own = design.fabric, columns.destinations
    infiniband = native.kind == "infiniband"
    origin = np.arange(fabric.n_switches, dtype=np.int32) if infiniband else columns.origin
    _check_size(native, design, len(origin), len(columns.origin) if infiniband else 0)
    rows = _rows(native, design, origin, told, engine_of(native))
    deliver = origin_rows(fabric.n_switches, origin)
    engine = ENGINES.get(engine_of(native))
    by_load = engine is not None and engine.adaptive
    plain = RowTable(rows, deliver, None, len(origin), fabric.link_src, own, fabric.host_down, by_load)
    kinds = {route.kind for route in overrides.routes.values()}
    special = kinds & {ChoiceKind.ADAPTIVE, ChoiceKind.UNKNOWN}
    escape = native.routing.escape if native.routing else None
    if infiniband or escape or special or len(native.labels) > 1 or native.lane_rules:
        kind = ChoiceKind.ADAPTIVE if by_load else ChoiceKind.HASHED
        table = choice_table_from_rows(plain, kind=kind, columns=columns.origin if infiniband else None, own=own)
        if escape is not None:
            way = replace(plain, rows=_rows(native, design, origin, told, escape.text))
            table = with_escape(table, choice_table_from_rows(way, columns=columns.origin if infiniband else None, own=own))
        return choices_with(table, overrides.routes, overrides.place_of) if overrides.routes else table
    return rows_with(plain, overrides.routes, overrides.place_of) if overrides.routes else plain


def _rows(native: NativeFile, design: Design, origin: Ids, told: Told, name: str) -> Rows:
    """The bits that the engine computes. An engine's module is imported when it is asked for."""
    fabric = design.fabric
    if name == "tables":
        return np.zeros((fabric.n_links, words(len(origin))), np.uint64)
    given = {"tier": design.tier is not None, "roots": bool(told.roots), "grid": design.grid is not None}
    if (need := ENGINES[name].needs) and not given[need]:
        place = native.routing.engine.place if native.routing else Place(native.path)
        raise BadInput.at(place, f"the engine {name} needs {_NEEDS[need]}")
    if design.tier is not None and name == "valley-free":
        from pauseproof.routing.engines.valley_free import valley_free

        return valley_free(fabric, origin, design.tier)
    if name == "updown":
        from pauseproof.routing.engines.updown import updown

        return updown(fabric, origin, told.roots)
    if design.grid is not None and name == "dimension-order":
        from pauseproof.routing.engines.dimension_order import dimension_order

        return dimension_order(fabric, origin, design.grid)
    if told.speakers is not None:
        from pauseproof.routing.engines.bgp import bgp

        return bgp(fabric, origin, told.speakers)
    if name == "minimal-adaptive":
        from pauseproof.routing.engines.minimal_adaptive import minimal_adaptive

        return minimal_adaptive(fabric, origin)
    from pauseproof.routing.engines.ecmp import ecmp

    return ecmp(fabric, origin)


_NEEDS = {
    "tier": "tiers: a fat-tree, a leaf-spine, or switches by hand",
    "roots": "roots, as in: routing: {engine: updown, roots: [s0]}",
    "grid": "coordinates: a mesh, torus, ring or hyperx generator",
}


def _check_size(native: NativeFile, design: Design, n_columns: int, n_choices: int) -> None:
    size = design.fabric.n_links * words(n_columns) * 8 + design.fabric.n_switches * n_choices * 2
    if size > MOST_BYTES:
        raise BadInput.at(Place(native.path), f"its tables would need {size >> 30} GiB; at most {MOST_BYTES >> 30} are held")


def _assumptions(native: NativeFile, engine: str) -> tuple[str, ...]:
    out = [] if engine == "tables" else [COMPUTED.format(engine)]
    out += [TIES] if engine == "bgp" else []
    if native.kind == "roce" and native.lanes == ("0",) and not (native.routing and native.routing.escape):
        out.append(ONE_LANE)
    return tuple(out)
