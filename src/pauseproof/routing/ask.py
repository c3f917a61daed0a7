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
from pauseproof.fabric.places import BadInput, Place
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, DestinationKind, Destinations, Routes, RowTable
from pauseproof.routing.traffic import Traffic

HOSTS, SWITCHES, AGGREGATION = "hosts", "hosts+switches", "hosts+aggregation"
COMMITTED, RESELECTING = "committed", "reselecting"

ONE_PAUSES = "an egress queue is paused by one next buffer alone"
CONSUMING = "hosts always consume what they receive, and receiving does not wait for sending"
ASSUMED = (
    "a packet is buffered whole and occupies one buffer",
    "an empty lossless buffer always accepts a packet",
    "arbitration is fair",
    ONE_PAUSES,
    CONSUMING,
    "the tables that were read are in force and do not change",
    "HOQ lifetimes and PFC watchdogs are ignored: they turn a freeze into drops",
)
QUEUES_SHARED = "lossless packets that can share an egress queue wait for all that can pause it, and for each other: counted"
COUPLED = "hosts always consume what they receive, but {} of them receive only while they can send"
ALL_ON = "every pair is taken to use {} {}, whatever its path record says"
NO_PATH_SL = "no path SLs were read: every pair is taken to use SL 0"
PATH_SL = "every application uses the SL of its path record; pairs with a switch use SL 0"
SWITCHES_COMMIT = "switches that pick by load commit to a link when they enqueue a packet, as a hash does"
SWITCHES_RESELECT = "{} that pick by load keep the choice open until the packet leaves"


@dataclass(frozen=True)
class Question:
    """What the user asks: the traffic class, globs on node names (``only`` empty means all), one label for all pairs where
    ``all_on`` is given, what switches that pick by load do where ``adaptive`` is (COMMITTED, RESELECTING; None: what the input
    says), and globs on the nodes where receiving waits for sending.
    """

    traffic: str = HOSTS
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    all_on: int | None = None
    adaptive: str | None = None
    endpoint_coupled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A question put to a network: the tables as they are to be taken, and the traffic."""

    question: Question
    network: Network
    traffic: Traffic
    by_load: bool  # some switch picks by load
    reselecting: int  # how many switches keep that choice open

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What a verdict rests on, beside what was read."""
        network, infiniband = self.network, self.network.fabric.kind == "infiniband"
        out = list(network.assumptions)
        if self.question.all_on is not None:
            out.append(ALL_ON.format("SL" if infiniband else "label", self.question.all_on))
        elif infiniband:
            out.append(NO_PATH_SL if self.traffic.labels is None else PATH_SL)
        if self.by_load:
            n = self.reselecting
            some = "switches" if n == network.fabric.n_switches else f"{n} of the switches"
            out.append(SWITCHES_RESELECT.format(some) if n else SWITCHES_COMMIT)
        return (*out, *self._common())

    def _common(self) -> list[str]:
        """ASSUMED, but what is weaker, or counted, where hosts are coupled or queues are known to be shared."""
        common = list(ASSUMED)
        if self.network.lanes.coupled is not None:
            common[ASSUMED.index(ONE_PAUSES)] = QUEUES_SHARED
        if self.traffic.coupled is not None:
            common[ASSUMED.index(CONSUMING)] = COUPLED.format(int(self.traffic.coupled.sum()))
        return common


def refuse_without_pairs(network: Network, question: Question) -> None:
    """Raises BadInput where nobody sends to another node: a verdict on no packets would be empty, and read as safe."""
    fabric, traffic, destinations = network.fabric, _traffic(network, question), network.destinations
    column = np.repeat(np.arange(len(destinations)), np.diff(destinations.member_ptr))
    members = destinations.member[traffic.destination_on[column] & traffic.host_receives[destinations.member]]
    owners = destinations.owner[traffic.destination_on & (destinations.owner >= 0)]
    senders = {*fabric.host_node[traffic.host_sends].tolist(), *np.flatnonzero(traffic.switch_sends).tolist()}
    receivers = {*fabric.host_node[members].tolist(), *owners.tolist()}
    trees = traffic.destination_on & (destinations.kind == DestinationKind.MULTICAST)
    if senders and (trees.any() or (receivers and len(senders | receivers) > 1)):
        return
    if question.only or question.exclude:
        raise BadInput.at(Place("--only/--exclude"), "no pair of hosts is left; expected globs that leave two, one that sends")
    raise BadInput.at(Place(fabric.name), "nothing to check: there is no pair of hosts that may send to each other")


def ask(network: Network, question: Question) -> Asked:
    """Raises BadInput where the network has no such traffic, label, or node."""
    traffic = _traffic(network, question)
    routes, by_load, reselecting = _resolved(network, question.adaptive)
    return Asked(question, replace(network, routes=routes), traffic, by_load, reselecting)


def _traffic(network: Network, question: Question) -> Traffic:
    """Who sends. Raises BadInput as :func:`ask` does."""
    if question.traffic not in network.traffics:
        message = f"this fabric has no traffic {question.traffic!r}; expected one of: {', '.join(network.traffics)}"
        raise BadInput.at(Place("--traffic"), message)
    labels = len(network.lanes.label_names)
    if question.all_on is not None and question.all_on >= labels:
        raise BadInput.at(Place("--all-on-sl"), f"there is no label {question.all_on}; expected 0..{labels - 1}")
    _refuse_globs_of_nobody(network.fabric, question)
    traffic = narrowed(network.traffics[question.traffic], network.fabric, network.destinations, question)
    if not (traffic.host_sends.any() or traffic.switch_sends.any()):
        if question.only or question.exclude:
            raise BadInput.at(Place("--only/--exclude"), "no host is left to send; expected globs on node names")
        raise BadInput.at(Place(network.fabric.name), "nothing to check: no host that sends is cabled")
    return traffic


def _refuse_globs_of_nobody(fabric: Fabric, question: Question) -> None:
    """A name that is mistyped must not make a smaller question of it without a word."""
    hosts = {fabric.node_name[n] for n in fabric.host_node.tolist()}
    nodes = hosts | set(fabric.node_name[: fabric.n_switches])
    for option, globs, names in (
        ("--only", question.only, nodes),
        ("--exclude", question.exclude, nodes),
        ("--endpoint-coupled", question.endpoint_coupled, hosts),
    ):
        for glob in globs:
            if not any(fnmatchcase(name, glob) for name in names):
                what = "host" if names is hosts else "node"
                raise BadInput.at(Place(option), f"no {what} is called {glob!r}; expected a name, or a glob such as 'gpu*'")


def _resolved(network: Network, adaptive: str | None) -> tuple[Routes, bool, int]:
    """(the tables with every group picked by load either ADAPTIVE or HASHED, whether there is any, switches that reselect)."""
    routes, n = network.routes, network.fabric.n_switches
    given = np.zeros(n, np.bool_) if network.reselects is None else network.reselects
    reselects = given if adaptive is None else np.full(n, adaptive == RESELECTING)
    if isinstance(routes, RowTable) and routes.by_load and reselects.any():
        routes = choice_table_from_rows(routes, kind=ChoiceKind.ADAPTIVE)
    if isinstance(routes, RowTable):
        return routes, routes.by_load, 0
    if not isinstance(routes, ChoiceTable):
        return routes, False, 0
    by_load = routes.kind == ChoiceKind.ADAPTIVE
    if not by_load.any():
        return routes, False, 0
    kind = routes.kind.copy()
    switch = network.fabric.link_src[routes.link[np.minimum(routes.ptr[:-1], max(len(routes.link) - 1, 0))]]
    kind[by_load & ~reselects[np.minimum(switch, n - 1)]] = ChoiceKind.HASHED
    return replace(routes, kind=kind), True, int(reselects.sum())


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
    coupled = named(fabric.node_name, Question(only=question.endpoint_coupled))[fabric.host_node]
    return replace(
        traffic,
        coupled=coupled if question.endpoint_coupled and coupled.any() else None,
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
