"""Everything a verdict needs, in one value: the fabric, its destinations, routes, lanes, and what was odd about the input."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Remark
from pauseproof.readers.snapshot import InputFile
from pauseproof.routing.tables import Destinations, Routes
from pauseproof.routing.traffic import Traffic


@dataclass(frozen=True)
class Network:
    """A fabric with its forwarding state. ``traffics`` holds the traffic classes that can be asked for, by name.

    ``tables_read`` counts switches whose table was read. ``reselects`` [S] marks switches whose choice by load (kind ADAPTIVE)
    stays open until the packet leaves, where the input says so (None: nowhere). ``inputs`` are the files behind it all.
    """

    fabric: Fabric
    destinations: Destinations
    routes: Routes
    lanes: Lanes
    traffics: dict[str, Traffic]
    assumptions: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    tables_read: int = 0
    reselects: NDArray[np.bool_] | None = None
    inputs: tuple[InputFile, ...] = ()
    notes: dict[str, object] = field(default_factory=dict)
