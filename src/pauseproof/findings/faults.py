"""Routing faults as findings: where packets are dropped, misdelivered, or go round for ever."""

from collections import defaultdict

from pauseproof.dependency.outcomes import Outcomes
from pauseproof.fabric.places import Place
from pauseproof.findings.report import Finding
from pauseproof.findings.rules import rule
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind

_SHOWN = 3  # destinations named in a sentence


def fault_findings(network: Network, outcomes: Outcomes) -> list[Finding]:
    """Findings for everything that keeps a pair from being routed."""
    found = [*_drops(network, outcomes), *_forwarding_loops(network, outcomes)]
    if outcomes.unroutable_pairs:
        message = f"{outcomes.unroutable_pairs} of {outcomes.pairs} pairs have no route that always arrives"
        found.append(_finding("unroutable-pairs", message, f"pairs/{outcomes.pairs}"))
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
            sender = fabric.node_name[int(fabric.link_src[link])]
            found.append(
                _finding(
                    slug,
                    f"{sender} hands packets for {named} to {name}",
                    fabric.identity(node),
                    _places(network, int(fabric.link_src[link]), columns),
                )
            )
            continue
        doing = {"route-to-dead-port": "sends packets out of a port without a cable:", "black-hole": "drops packets for"}[slug]
        found.append(_finding(slug, f"{name} {doing} {named}", fabric.identity(node), _places(network, node, columns)))
    return found


def _way(network: Network, node: int, column: int) -> str:
    if node >= network.fabric.n_switches:
        return "wrong-host"
    return "route-to-dead-port" if network.routes.route(node, column).kind == ChoiceKind.DEAD_PORT else "black-hole"


def _forwarding_loops(network: Network, outcomes: Outcomes) -> list[Finding]:
    fabric = network.fabric
    found = []
    for links, columns in sorted(outcomes.loops.items()):
        switches = sorted({int(fabric.link_dst[link]) for link in links})
        names = ", ".join(fabric.node_name[s] for s in switches[:8]) + (" ..." if len(switches) > 8 else "")
        message = f"packets for {_destinations(network, columns)} go round for ever among {names}"
        ends = (
            f"{fabric.identity(int(fabric.link_dst[l]))}/{fabric.port_name(int(fabric.link_dst[l]), int(fabric.link_dst_port[l]))}"
            for l in links
        )
        found.append(_finding("forwarding-loop", message, " ".join(ends), _places(network, switches[0], columns)))
    return found


def _destinations(network: Network, columns: list[int]) -> str:
    word = "LID" if network.fabric.kind == "infiniband" else "destination"
    names = [str(network.destinations.names[d]) for d in columns[:_SHOWN]]
    more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    return f"{word}{'s' if len(columns) > 1 else ''} {', '.join(names)}{more}"


def _places(network: Network, switch: int, columns: list[int]) -> tuple[Place, ...]:
    places = (network.routes.place(switch, d) for d in columns[:_SHOWN])
    return tuple(dict.fromkeys(p for p in places if p is not None))


def _finding(slug: str, message: str, identity: str, where: tuple[Place, ...] = ()) -> Finding:
    known = rule(slug)
    return Finding(known.code, known.slug, known.severity, message, identity, where, (), known.fix)
