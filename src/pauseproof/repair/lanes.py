"""Fewest virtual lanes on InfiniBand: a service level for each path, so that the paths of no lane close a loop.

Routes stay as they are. Every path keeps its SL from source to destination, and SL ``k`` rides VL ``k`` at every port; what the
paths of one SL need of the links is acyclic by itself (:mod:`pauseproof.repair.layers`). The least number of lanes is that of
such maps: one that changes lanes on the way, as a dateline does, may need fewer, but never only one.

Notation: ``s`` a switch, ``d`` a column, ``h`` a host, ``v`` a lane.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pauseproof.deadlock.answers import Analysis
from pauseproof.fabric.lanes import Lanes
from pauseproof.readers.lane_maps import NO_TABLES
from pauseproof.repair.alternative import Alternative, Budget, Change, NotOffered
from pauseproof.repair.demands import LoopingPackets, demands
from pauseproof.repair.layers import Layering, acyclic, fewest_layers
from pauseproof.repair.path_files import infiniband_files, topology_lines
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

KIND = "lanes"
N_SLS = 16
DATA_VLS = 15  # VL 15 is for management
HONOURED = "every application uses the SL of its path record, and every port has {} operational data VLs"

Paths = dict[tuple[int, int], int]  # (switch, column) -> what hosts of the switch send to the column with


def alternatives(asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
    """One alternative with the fewest lanes found, or why lanes do not help."""
    if reason := _unfit(asked):
        return [NotOffered(KIND, reason)]
    try:
        found = demands(asked.network, asked.traffic)
    except LoopingPackets as loop:
        return [NotOffered(KIND, f"{loop}: that is a loop in any lane")]
    mask = _with_their_nodes(asked.network, found.mask) if native(asked.network) else found.mask
    paths = sorted(mask)
    if not acyclic(found.edges, found.fixed):
        return [NotOffered(KIND, "packets of switches, to switches, or of multicast trees close a loop, and all are on SL 0")]
    layering = fewest_layers(found.edges, [mask[path] for path in paths], found.fixed, DATA_VLS, budget.left)
    if layering is None:
        return [NotOffered(KIND, f"no sharing out of the paths over {DATA_VLS} lanes was found in time")]
    layer = dict(zip(paths, layering.layer, strict=True))
    return [_alternative(asked, analysis, {path: v for path, v in layer.items() if v}, layering)]


def _unfit(asked: Asked) -> str:
    if asked.network.fabric.kind != "infiniband":
        return "paths have service levels of their own on InfiniBand alone"
    if asked.question.all_on is not None:
        return "all pairs are on one SL, as was asked"
    if asked.traffic.coupled is not None:
        return "where receiving waits for sending, a host joins the lanes"
    return ""


def native(network: Network) -> bool:
    """Whether the fabric comes from a topology file, which knows names and no GUIDs."""
    return not network.fabric.node_guid.any()


def _with_their_nodes(network: Network, mask: Paths) -> Paths:
    """A topology file names nodes: all ports of one have one label."""
    fabric, destinations = network.fabric, network.destinations
    node = [int(fabric.host_node[members[0]]) if (members := destinations.members(d)) else -1 for d in range(len(destinations))]
    joined: dict[tuple[int, int], int] = {}
    for (s, d), m in mask.items():
        joined[s, node[d]] = joined.get((s, node[d]), 0) | m
    columns: dict[int, list[int]] = {}
    for d, n in enumerate(node):
        columns.setdefault(n, []).append(d)
    return {(s, d): m for (s, n), m in joined.items() for d in columns[n]}


def _alternative(asked: Asked, analysis: Analysis, raised: Paths, layering: Layering) -> Alternative:
    network, n = asked.network, layering.layers
    bound = 1 if analysis.adaptive else layering.bound
    labels = labels_of(network, raised)
    lanes = _lanes(network, n)
    traffics = {name: replace(traffic, labels=labels, label=0) for name, traffic in network.traffics.items()}
    others = tuple(text for text in network.assumptions if text != NO_TABLES)  # the maps are written now
    after = replace(network, lanes=lanes, traffics=traffics, remarks=(), assumptions=others)
    traffic: Traffic = replace(asked.traffic, labels=labels, label=0)
    changes = (_map_change(n), *_path_changes(network, raised))
    return Alternative(KIND, n, "virtual lanes", bound, changes, after, traffic, (HONOURED.format(n),))


def _lanes(network: Network, n: int) -> Lanes:
    if native(network):
        return Lanes.identity(network.fabric.n_hosts, tuple(map(str, range(n))))
    names, label = tuple(map(str, range(N_SLS))), np.arange(N_SLS, dtype=np.int16)
    return Lanes(names, names, label, label % np.int16(n), label[None, :], None, np.zeros(network.fabric.n_hosts, np.int32))


def labels_of(network: Network, raised: Paths) -> NDArray[np.uint32]:
    """``Traffic.labels``: lane 0 but for the paths that are raised."""
    fabric = network.fabric
    labels = np.ones((fabric.n_hosts, len(network.destinations)), np.uint32)
    at = fabric.link_dst[fabric.host_up]
    for (s, d), v in raised.items():
        labels[at == s, d] = 1 << v
    return labels


def _map_change(n: int) -> Change:
    vls = [k % n for k in range(N_SLS)]
    sentence = f"every port: SL k rides VL k, for k below {n}; every port needs {n} operational data VLs"
    return Change(sentence, {"sl2vl": vls})


def _path_changes(network: Network, raised: Paths) -> list[Change]:
    """One change for each switch and SL."""
    groups: dict[tuple[int, int], list[str]] = {}
    for (s, d), v in sorted(raised.items()):
        groups.setdefault((s, v), []).append(network.destinations.names[d])
    what = "destinations" if native(network) else "LIDs"
    return [
        Change(
            f"{network.fabric.node_name[s]}: its hosts send to {what} {', '.join(names)} on SL {v}",
            {"switch": network.fabric.identity(s), "destinations": names, "sl": v},
        )
        for (s, v), names in sorted(groups.items())
    ]


def loadable(asked: Asked, alternative: Alternative) -> Mapping[str, str]:
    """The SL of every path and the SL-to-VL row of every turn, in the place of those that there are."""
    labels = alternative.traffic.labels
    assert labels is not None
    if native(asked.network):
        return {"lanes.yaml": topology_lines(asked.network, labels, alternative.cost)}
    return infiniband_files(asked.network, labels, [k % alternative.cost for k in range(N_SLS)])
