"""Everything a verdict needs, in one value: the fabric, its destinations, routes, lanes, and what was odd about the input."""

from dataclasses import dataclass, field

from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Remark
from pauseproof.readers.snapshot import InputFile
from pauseproof.routing.tables import Destinations, Routes
from pauseproof.routing.traffic import Traffic


@dataclass(frozen=True)
class Network:
    """A fabric with its forwarding state. ``traffics`` holds the traffic classes that can be asked for, by name.

    ``tables_read`` counts switches whose table was read (all, where routes were computed); ``inputs`` are the files behind it.
    """

    fabric: Fabric
    destinations: Destinations
    routes: Routes
    lanes: Lanes
    traffics: dict[str, Traffic]
    assumptions: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    tables_read: int = 0
    inputs: tuple[InputFile, ...] = ()
    notes: dict[str, object] = field(default_factory=dict)
