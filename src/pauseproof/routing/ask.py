"""Who may talk to whom: the traffic classes of an InfiniBand fabric, and narrowing them to what the user asks about.

``hosts``: every host port to every host port. ``hosts+switches``: the switches' own LIDs send and receive too (SMA and PMA
queries, IPoIB to switches). ``hosts+aggregation``: SHARP aggregation nodes count as hosts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.routing.tables import DestinationKind, Destinations
from pauseproof.routing.traffic import Traffic

HOSTS, SWITCHES, AGGREGATION = "hosts", "hosts+switches", "hosts+aggregation"


@dataclass(frozen=True)
class Question:
    """What the user narrows: globs on node names (``only`` empty means all), and one label for all pairs where given."""

    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    all_on: int | None = None


def named(names: Sequence[str], question: Question) -> NDArray[np.bool_]:
    """[N]: which nodes the globs leave in.

    >>> named(["gpu1", "gpu2", "nfs"], Question(only=("gpu*",), exclude=("*2",))).tolist()
    [True, False, False]
    """
    if not question.only and not question.exclude:
        return np.ones(len(names), np.bool_)
    wanted = [
        (not question.only or any(fnmatchcase(name, glob) for glob in question.only))
        and not any(fnmatchcase(name, glob) for glob in question.exclude)
        for name in names
    ]
    return np.array(wanted, np.bool_)


def narrowed(traffic: Traffic, fabric: Fabric, destinations: Destinations, question: Question) -> Traffic:
    """The part of ``traffic`` that the question is about."""
    chosen = named(fabric.node_name, question)
    hosts, switches = chosen[fabric.host_node], chosen[: fabric.n_switches]
    on = traffic.destination_on.copy()
    owned = np.flatnonzero(destinations.owner >= 0)
    on[owned] &= switches[destinations.owner[owned]]
    return replace(
        traffic,
        host_sends=traffic.host_sends & hosts,
        host_receives=traffic.host_receives & hosts,
        switch_sends=traffic.switch_sends & switches,
        destination_on=on,
        label=traffic.label if question.all_on is None else question.all_on,
        labels=traffic.labels if question.all_on is None else None,
    )


def traffic_classes(fabric: Fabric, destinations: Destinations, labels: NDArray[np.uint32] | None) -> dict[str, Traffic]:
    """The classes that the fabric has, ``hosts`` always; ``labels`` as in :class:`Traffic`."""
    ordinary = fabric.node_kind[fabric.host_node] != NodeKind.AGGREGATION
    everyone = np.ones(fabric.n_hosts, np.bool_)
    quiet, loud = np.zeros(fabric.n_switches, np.bool_), np.ones(fabric.n_switches, np.bool_)
    to_switches = destinations.kind == DestinationKind.SWITCH
    to_hosts = (destinations.kind == DestinationKind.HOST) | (destinations.kind == DestinationKind.MULTICAST)
    classes = {HOSTS: Traffic(HOSTS, ordinary, ordinary, quiet, to_hosts, labels=labels)}
    if to_switches.any():
        classes[SWITCHES] = Traffic(SWITCHES, ordinary, ordinary, loud, to_hosts | to_switches, labels=labels)
    if not ordinary.all():
        classes[AGGREGATION] = Traffic(AGGREGATION, everyone, everyone, quiet, to_hosts, labels=labels)
    return classes
