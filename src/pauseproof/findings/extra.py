"""What is found out only when it is asked for: whether some lanes are an escape, and the smallest stuck set."""

from typing import NamedTuple

import numpy as np

from pauseproof.deadlock.analysis import whole_graph
from pauseproof.deadlock.answers import Analysis, Waiting
from pauseproof.deadlock.escape import escape_fault
from pauseproof.deadlock.smallest import smallest_stuck_set
from pauseproof.deadlock.stuck import peel
from pauseproof.fabric.places import BadInput, Place
from pauseproof.findings.loops import buffer_title, stuck_finding
from pauseproof.findings.report import Evidence, Finding
from pauseproof.findings.rules import rule
from pauseproof.routing.ask import Asked


class Found(NamedTuple):
    """Findings and evidence."""

    findings: tuple[Finding, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def escape_check(asked: Asked, lanes: tuple[str, ...]) -> Found:
    """Is the set of all buffers of these lanes an escape? Raises BadInput for a lane that there is not."""
    if not lanes:
        return Found()
    network = asked.network
    names = network.lanes.lane_names
    if strange := [lane for lane in lanes if lane not in names]:
        raise BadInput.at(Place("--escape-lane"), f"there is no lane {strange[0]!r}; expected one of: {', '.join(names)}")
    graph = whole_graph(network, asked.traffic, worst=True)
    wanted = [names.index(lane) for lane in lanes]
    fault = escape_fault(graph, np.flatnonzero(np.isin(graph.buffers % graph.n_lanes, wanted)))
    listed = ", ".join(lanes)
    if fault is None:
        said = f"the buffers of lane {listed} are an escape: every packet can always go on in them, and they drain"
        return Found((), (Evidence("escape", said),))
    known = rule("escape-set-fails")
    if fault.without_exit >= 0:
        where = buffer_title(network, graph.link_lane(fault.without_exit))
        message = f"a packet in buffer {where} has no next buffer in lane {listed}"
    else:
        some = ", ".join(buffer_title(network, graph.link_lane(b)) for b in fault.stuck[:4])
        message = f"{len(fault.stuck)} buffers are stuck even if packets wait only for lane {listed}: {some}"
    finding = Finding(known.code, known.slug, known.severity, message, f"escape/{listed}", (), (), known.fix)
    return Found((finding,))


def smallest_check(asked: Asked, analysis: Analysis, seconds: float | None) -> Found:
    """The smallest stuck set of all, by z3 within a budget."""
    if seconds is None or not analysis.stuck:
        return Found()
    graph = whole_graph(asked.network, asked.traffic)
    found = smallest_stuck_set(graph, peel(graph).stuck, seconds=seconds)
    name = graph.link_lane
    waits = tuple(Waiting(name(b), tuple(map(name, choice))) for b, choice in sorted(found.choices.items()))
    proved = "no smaller one exists" if found.optimal else f"whether a smaller one exists was not decided in {seconds:g} s"
    statement = f"a stuck set of {len(waits)} buffers; {proved}"
    return Found((stuck_finding(asked.network, analysis, waits),), (Evidence("smallest", statement),))
