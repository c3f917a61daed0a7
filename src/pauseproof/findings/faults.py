"""Routing faults as findings: where packets are dropped, misdelivered, or go round for ever."""

from collections import defaultdict
from dataclasses import replace

import numpy as np

from pauseproof.dependency.outcomes import Outcomes
from pauseproof.fabric.naming import link_identity, some
from pauseproof.fabric.places import Place
from pauseproof.findings.loop_rate import loop_words
from pauseproof.findings.report import Finding, Severity
from pauseproof.findings.rules import rule
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, DestinationKind
from pauseproof.routing.traffic import Traffic

_SHOWN = 3  # destinations named in a sentence
_DOING = {"route-to-dead-port": "sends packets out of a port without a cable:", "black-hole": "drops packets for"}


def fault_findings(network: Network, outcomes: Outcomes) -> list[Finding]:
    """Findings for everything that keeps a pair from being routed."""
    found = [*_drops(network, outcomes), *_forwarding_loops(network, outcomes)]
    if outcomes.unroutable_pairs:
        message = f"{outcomes.unroutable_pairs} of {outcomes.pairs} pairs have no route that always arrives"
        finding = _finding("unroutable-pairs", message, f"pairs/{outcomes.pairs}")
        nothing = outcomes.unroutable_pairs == outcomes.pairs  # a verdict on such tables says nothing
        found.append(replace(finding, severity=Severity.ERROR) if nothing else finding)
    return found


def _drops(network: Network, outcomes: Outcomes) -> list[Finding]:
    """One finding for each node and way of losing packets."""
    groups: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for fault in sorted(outcomes.faults):
        groups[_way(network, fault.node, fault.column), fault.node, fault.link].append(fault.column)
    found = []
    for (slug, node, link), columns in groups.items():
        fabric = network.fabric
        name, named = fabric.node_name[node], _destinations(network, columns)
        if slug == "wrong-host":
            s = int(fabric.link_src[link])
            if s >= fabric.n_switches:
                continue  # two hosts on one cable: their packets for others are unroutable, and nobody misdelivers them
            message = f"{fabric.node_name[s]} hands packets for {named} to {name}"
        else:
            s, message = node, f"{name} {_DOING[slug]} {named}"
        found.append(_finding(slug, message, fabric.identity(node), _places(network, s, columns)))
    return found


def _way(network: Network, node: int, column: int) -> str:
    if node >= network.fabric.n_switches:
        return "wrong-host"
    return "route-to-dead-port" if network.routes.route(node, column).kind == ChoiceKind.DEAD_PORT else "black-hole"


def _forwarding_loops(network: Network, outcomes: Outcomes) -> list[Finding]:
    """Forwarding loops; where some switch on one picks by load and may leave it, a livelock."""
    fabric = network.fabric
    found = []
    for links, columns in sorted(outcomes.loops.items()):
        switches = sorted({int(fabric.link_dst[link]) for link in links})
        names = some([fabric.node_name[s] for s in switches], 8)
        open_choice = any(network.routes.route(s, columns[0]).kind == ChoiceKind.ADAPTIVE for s in switches)
        going = "can be sent round" if open_choice else "go round for ever"
        message = f"packets for {_destinations(network, columns)} {going} among {names}"
        if fabric.kind == "roce" and not open_choice:
            message += f"; {loop_words(network, links, columns[0])}"
        places = _places(network, switches[0], columns)
        identity = " ".join(link_identity(fabric, link) for link in links)
        found.append(_finding("livelock" if open_choice else "forwarding-loop", message, identity, places))
    return found


def missing_label_findings(network: Network, traffic: Traffic) -> list[Finding]:
    """Host pairs whose path SL was not read."""
    if traffic.labels is None:
        return []
    fabric, columns = network.fabric, network.destinations
    hosts = np.flatnonzero(traffic.host_sends)
    single = np.flatnonzero(
        traffic.destination_on & (np.diff(columns.member_ptr) == 1) & (columns.kind == DestinationKind.HOST)
    )
    member = columns.member[columns.member_ptr[single]]
    missing = (traffic.labels[np.ix_(hosts, single)] == 0) & traffic.host_receives[member][None, :]
    missing &= fabric.host_node[hosts][:, None] != fabric.host_node[member][None, :]
    if not missing.any():
        return []
    h, d = (int(i[0]) for i in np.nonzero(missing))
    pair = f"{fabric.host(int(hosts[h])).name} -> {_destinations(network, [int(single[d])])}"
    message = f"{int(missing.sum())} pairs have no path SL, such as {pair}; their SL is unknown"
    return [_finding("path-sl-missing", message, f"labels/{int(missing.sum())}")]


def _destinations(network: Network, columns: list[int]) -> str:
    word = "LID" if network.fabric.kind == "infiniband" else "destination"
    names = [str(network.destinations.names[d]) for d in columns]
    return f"{word}{'s' if len(columns) > 1 else ''} {some(names, _SHOWN)}"


def _places(network: Network, switch: int, columns: list[int]) -> tuple[Place, ...]:
    places = (network.routes.place(switch, d) for d in columns[:_SHOWN])
    return tuple(dict.fromkeys(p for p in places if p is not None))


def _finding(slug: str, message: str, identity: str, where: tuple[Place, ...] = ()) -> Finding:
    known = rule(slug)
    return Finding(known.code, known.slug, known.severity, message, identity, where, (), known.fix)
