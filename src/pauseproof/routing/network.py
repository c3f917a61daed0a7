"""Everything a verdict needs, in one value: the fabric, its destinations, routes, lanes, and what was odd about the input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.lanes import Lanes
from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.places import Remark
from pauseproof.readers.snapshot import InputFile
from pauseproof.routing.groups import SEVERAL, Grouping, bundles, plain
from pauseproof.routing.hash_facts import HashFacts
from pauseproof.routing.host_prefixes import HostAddresses, HostPrefixes
from pauseproof.routing.tables import Destinations, Routes
from pauseproof.routing.traffic import Traffic

if TYPE_CHECKING:
    from pauseproof.routing.class_facts import ClassFacts


@dataclass(frozen=True)
class Network:
    """A fabric with its forwarding state. ``traffics`` holds the traffic classes that can be asked for, by name.

    ``tables_read`` counts switches whose table was read. ``reselects`` [S] marks switches whose choice by load (kind ADAPTIVE)
    stays open until the packet leaves, where the input says so (None: nowhere). ``inputs`` are the files behind it all.
    ``groups`` says by (switch, ascending links) what a hash chooses from, where that is not plain: the groups of the switch
    over these links, by the number that a :class:`pauseproof.routing.tables.Route` names: see :meth:`group`.
    ``hashes`` is what was said of hash settings, ``addresses`` what addresses hosts have.
    ``class_facts`` is what was said of classes, where switches were asked (None: a topology file, or InfiniBand).
    ``host_guids`` [H] are the GUIDs of the hosts' ports on InfiniBand, 0 where not read (None: none was).
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
    host_guids: NDArray[np.uint64] | None = None
    class_facts: "ClassFacts | None" = None
    notes: dict[str, object] = field(default_factory=dict)
    groups: Mapping[tuple[int, tuple[int, ...]], tuple[Grouping, ...]] = field(default_factory=dict)
    bundle: Ids | None = None
    hashes: HashFacts = field(default_factory=HashFacts)
    addresses: HostPrefixes | HostAddresses = field(default_factory=HostAddresses)

    def group(self, switch: int, links: Sequence[int], number: int | None = None) -> Grouping:
        """What ``switch`` chooses from where an entry lists these links, which are ascending, and its group has this number.

        Without a number, and where there are several groups, it is not clear which one is meant.
        """
        found = self.groups.get((switch, tuple(links)))
        if found is None:
            return plain(links) if self.bundle is None else bundles(links, self.bundle)
        if len(found) > 1 and (number is None or number >= len(found)):
            return replace(found[0], unclear=SEVERAL)
        return found[number or 0]
