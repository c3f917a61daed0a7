"""The lossless classes of an Ethernet fabric: from configurations and declarations to labels, lanes, and rows.

A label is the DSCP that switches see (with the one inside, in a tunnel); a lane is a priority group of the port that receives.
It is lossless where that port pauses a priority for the group; a packet that falls into another group leaves the lanes, and
where it was lossless before that is a remark. See :mod:`pauseproof.routing.class_hops` for one hop.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pauseproof.fabric.lanes import LOSSY, Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Remark
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.declared import Classes, Declarations
from pauseproof.readers.roce_records import ConfigDb
from pauseproof.routing.class_assumptions import NOTHING_SAID, assumptions_of
from pauseproof.routing.class_hops import Label
from pauseproof.routing.class_labels import reachable_labels
from pauseproof.routing.class_remarks import remarks_of
from pauseproof.routing.class_rows import Rows
from pauseproof.routing.class_spread import Spread
from pauseproof.routing.class_tunnels import Tunnel, tunnels_of
from pauseproof.routing.class_turns import Turns
from pauseproof.routing.fabric_classes import FabricClasses
from pauseproof.routing.port_classes import DSCPS

SILENT = Declarations("")


@dataclass(frozen=True)
class LosslessClasses:
    """``labels`` [K] stand behind ``lanes.label_names``; ``sends`` gives each direction of traffic the labels it is sent with.

    A direction without labels has no lossless class at all.
    """

    lanes: Lanes
    labels: tuple[Label, ...]
    sends: Mapping[str, tuple[int, ...]]
    tunnels: tuple[Tunnel, ...] = ()
    assumptions: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


def lossless_classes(fabric: Fabric, configs: Sequence[ConfigDb] = (), declared: Declarations = SILENT) -> LosslessClasses:
    """The classes of a fabric. Without a word on classes: one lossless lane for everything. Raises BadInput."""
    classes = FabricClasses(fabric, configs, declared)
    classes.look_up()
    refuse_if(classes.all_problems())
    if not classes.anything and classes.packing:
        one = replace(declared, classes=Classes((0,), dict.fromkeys(range(DSCPS), 0)), traffic={"data": (0,)})
        return replace(lossless_classes(fabric, configs, one), assumptions=(NOTHING_SAID,), remarks=())
    if not classes.anything:
        lanes = Lanes.identity(fabric.n_hosts)
        return LosslessClasses(lanes, (Label(0),), {"data": (0,)}, assumptions=(NOTHING_SAID,))
    turns = Turns(classes)
    sent = _sent(turns, declared)
    used = {dscp for dscps in sent.values() for dscp in dscps}
    maps = {packing.maps for packing in classes.packing}
    labels = reachable_labels(used or {0}, turns.sides, turns.outs, turns.rewrites, maps)
    rows = turns.rows(labels)
    lanes, tunnels = _lanes(turns, rows)
    refuse_if(classes.all_problems())
    sends = {name: tuple(labels.index(Label(dscp)) for dscp in dscps) for name, dscps in sent.items()}
    spread = Spread(turns, sent)
    return LosslessClasses(lanes, labels, sends, tunnels, assumptions_of(turns), remarks_of(turns, spread))


def _sent(turns: Turns, declared: Declarations) -> dict[str, tuple[int, ...]]:
    """The DSCPs of each direction: as declared, else data is whatever is lossless where hosts are cabled."""
    if declared.traffic:
        return dict(declared.traffic)
    lossless = {d for side in turns.host_sides for d in side.lossless_dscps}
    return {"data": tuple(sorted(lossless))}


def _lanes(turns: Turns, rows: Rows) -> tuple[Lanes, tuple[Tunnel, ...]]:
    """The lanes, once every row has its number."""
    turn_row, host_row, tunnels = turns.turn_row(rows), turns.host_row(rows), tunnels_of(turns, rows)
    label, lane = np.array(list(rows.classes) or [(0, 0)], np.int16).T
    step = rows.step if len(rows.step) else np.full((1, len(rows.labels)), LOSSY, np.int16)
    label_names = tuple(map(str, rows.labels))
    lossy = len(rows.lanes) if any(lane == len(rows.lanes) for _, lane in rows.classes) else None
    lane_names = (*map(str, rows.lanes), *(["lossy"] if lossy is not None else []))
    turns_differ = turn_row if turn_row.any() else None
    return Lanes(label_names, lane_names, label, lane, step, turns_differ, host_row, rows.coupled, lossy), tunnels
