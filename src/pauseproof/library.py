"""The whole library in a line: ``verify(load(path))``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from pauseproof.deadlock.analysis import whole_graph
from pauseproof.deadlock.certificate import Certificate, buffer_name
from pauseproof.fabric.places import BadInput, Place
from pauseproof.findings.report import Input, Report, Verdict
from pauseproof.findings.verdict import Judged, Undecided, Wishes, certificate_of, judge, judge_realized, report_of
from pauseproof.readers.snapshot import Snapshot, read_snapshot
from pauseproof.routing.ask import HOSTS, Question, refuse_without_pairs
from pauseproof.routing.infiniband import infiniband_network
from pauseproof.routing.network import Network

if TYPE_CHECKING:
    from pauseproof.findings.replay_asked import Wish
    from pauseproof.findings.replayed import ReplayReport
    from pauseproof.findings.storm import StormReport
    from pauseproof.readers.flow_file import FlowLine
    from pauseproof.readers.snapshot import InputFile
    from pauseproof.repair.repair import Repair
    from pauseproof.replay.settings import Settings


REALIZE_SECONDS = 30.0  # for realize, where no other budget is given


class Words(TypedDict, total=False):
    """How a question is put: see :class:`pauseproof.routing.ask.Question`."""

    traffic: str
    only: Sequence[str]
    exclude: Sequence[str]
    all_on_sl: int | None
    adaptive: str | None
    endpoint_coupled: Sequence[str]


class Extras(Words, total=False):
    """What else ``verify`` is to find out: are all buffers of these lanes together an escape; the smallest stuck set, in so
    many seconds; what can fill each loop, also by these ``flows``; does the replay of the first loop stop for good; do real
    packets carry the dependencies of each (``realize``), in ``budget`` seconds, and those of the job in the files ``jobs``.
    """

    escape_lanes: Sequence[str]
    smallest: float | None
    conditions: bool
    flows: "tuple[FlowLine, ...] | None"
    replay: bool
    realize: bool
    budget: float
    jobs: Sequence[str]


def load(*paths: str | Path) -> Network:
    """Read files and folders (``-`` is stdin) into one network. Raises BadInput with everything that is wrong with them."""
    return assembled(read_snapshot(paths), Path(paths[0]).name or str(paths[0]))


def assembled(snapshot: Snapshot, name: str) -> Network:
    """The network, called ``name``, of what was read. Raises BadInput where something is missing, or does not go together."""
    if snapshot.native:
        return replace(_native(snapshot), inputs=snapshot.inputs)
    if ethernet := _ethernet_file(snapshot):
        if infiniband := _infiniband_file(snapshot):
            message = f"an Ethernet dump beside InfiniBand's {infiniband}; expected the dumps of one fabric"
            raise BadInput.at(Place(ethernet), message)
        return _ethernet(snapshot, name)
    return infiniband_network(snapshot, name)


def _ethernet_file(snapshot: Snapshot) -> str:
    """The first file that speaks of an Ethernet fabric, empty where none does."""
    return next((found[0].file for found in (snapshot.routes, snapshot.cables, snapshot.addresses) if found), "")


def _infiniband_file(snapshot: Snapshot) -> str:
    groups = (snapshot.forwarding, snapshot.adaptive, snapshot.cabling, snapshot.lane_maps, snapshot.path_labels)
    return next((found[0].file for found in groups if found), "")


def _ethernet(snapshot: Snapshot, name: str) -> Network:
    from pauseproof.readers.linux_nexthops import join_nexthops
    from pauseproof.routing.ethernet import ethernet_network
    from pauseproof.routing.ethernet_records import EthernetRecords

    routes = join_nexthops(snapshot.routes, snapshot.nexthops)
    records = EthernetRecords(
        snapshot.cables, routes, snapshot.addresses, snapshot.configs, snapshot.declarations, snapshot.sysctls
    )
    network = ethernet_network(records, name)
    return replace(network, remarks=(*snapshot.remarks, *network.remarks), inputs=snapshot.inputs)


def _native(snapshot: Snapshot) -> Network:
    from pauseproof.readers import native
    from pauseproof.routing.native import network_of

    topologies = [f for f in snapshot.inputs if f.format == native.NAME]
    if len(topologies) > 1:
        raise BadInput.at(Place(topologies[1].path), f"a second topology beside {topologies[0].path}; expected one at a time")
    if other := _infiniband_file(snapshot) or _ethernet_file(snapshot):
        raise BadInput.at(Place(other), "a dump beside a topology file; expected one or the other")
    return network_of(snapshot.native[0])


def verify(network: Network, **words: Unpack[Extras]) -> Report:
    """The verdict on ``network`` for one question. Raises BadInput where it cannot be asked that."""
    judged = _judged(network, words)
    return Report(_inputs(network, words), (report_of(judged, network, _wishes(words)),))


def prove(network: Network, **question: Unpack[Words]) -> Certificate:
    """A certificate of the verdict, as plain data. Raises BadInput as verify does, and Undecided where there is no verdict."""
    return certificate_of(judge(network, _question(network, question)))


def verify_and_prove(network: Network, **words: Unpack[Extras]) -> tuple[Report, Certificate | None]:
    """Both from one analysis; no certificate where the verdict is UNDECIDED."""
    judged = _judged(network, words)
    proof = None if judged.verdict is Verdict.UNDECIDED else certificate_of(judged)
    return Report(_inputs(network, words), (report_of(judged, network, _wishes(words)),)), proof


def ranking_problem(network: Network, **question: Unpack[Words]) -> tuple[Verdict, bytes]:
    """The ranking problem as an SMT-LIB2 file, with the verdict. Raises Undecided where unread rows matter."""
    judged = judge(network, _question(network, question))
    if judged.verdict is Verdict.UNDECIDED:
        raise Undecided(judged.reason)
    free = judged.verdict is Verdict.DEADLOCK_FREE
    from pauseproof.deadlock.smtlib import smtlib

    graph = whole_graph(judged.asked.network, judged.asked.traffic, worst=free)
    names = [buffer_name(judged.asked.network, graph.link_lane(b)) for b in range(graph.n_buffers)]
    lines = smtlib(graph, [repr(name)[1:-1] for name in names], "sat" if free else "unsat")
    return judged.verdict, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def repairs(
    network: Network,
    *,
    kinds: Sequence[str] = (),
    seconds: float = 60.0,
    lossless_classes: int = 2,
    watch: Callable[[str], None] = lambda what: None,
    **question: Unpack[Words],
) -> "Repair":
    """What makes ``network`` safe, each alternative applied and certified; of the given kinds, all where none is given.

    ``lossless_classes`` are those that Ethernet switches have buffers for; ``watch`` is told again and again what is done.

    Raises BadInput as verify does, KeyError for a kind that there is not.
    """
    from pauseproof.repair.alternative import Budget
    from pauseproof.repair.repair import repair as alternatives_of

    budget = Budget(seconds, lossless_classes=lossless_classes, watch=watch)
    return alternatives_of(network, _question(network, question), kinds=kinds, budget=budget)


def storms(network: Network, *, hosts: Sequence[str] = (), **question: Unpack[Words]) -> "StormReport":
    """How many hosts each host port, or those named by globs, holds up by pausing for good. Raises BadInput as verify does."""
    from pauseproof.findings.storm import storm_report

    return storm_report(network, _question(network, question), hosts)


@dataclass(frozen=True)
class JobFile:
    """A file that tells a job, as an input of a report."""

    path: str
    sha256: str
    format: str = "job"
    skipped: str = ""


def _inputs(network: Network, words: Extras) -> tuple[Input, ...]:
    if not (jobs := words.get("jobs")):
        return network.inputs
    from pauseproof.loads.job_files import job_inputs

    return (*network.inputs, *(JobFile(path, digest) for path, digest in job_inputs(jobs)))


def _judged(network: Network, words: Extras) -> Judged:
    if not words.get("realize") and not words.get("jobs"):
        return judge(network, _question(network, words))
    return judge_realized(network, _question(network, words), words.get("budget", REALIZE_SECONDS))


def _wishes(words: Extras) -> Wishes:
    flows = words.get("flows")
    conditions = words.get("conditions", False) or flows is not None
    lanes = tuple(words.get("escape_lanes", ()))
    return Wishes(lanes, words.get("smallest"), conditions, flows, words.get("replay", False), tuple(words.get("jobs", ())))


def read_flows(path: str | Path) -> "tuple[tuple[FlowLine, ...], InputFile]":
    """The flows of a file, and the file. Raises BadInput."""
    from pauseproof.readers.flow_file import NAME, read_flow_file
    from pauseproof.readers.snapshot import InputFile
    from pauseproof.readers.source import open_source

    source = open_source(path)
    return read_flow_file(source), InputFile(source.path, source, NAME)


def replays(
    network: Network,
    wish: "Wish | None" = None,
    settings: "Settings | None" = None,
    *,
    flow_file: str | Path | None = None,
    **question: Unpack[Words],
) -> "ReplayReport":
    """A loop of ``network``, or the flows of a file, run packet by packet. Raises BadInput where there is nothing to replay."""
    from pauseproof.findings.replay_asked import Wish, replay_asked, usual_settings

    judged, wish, inputs = judge(network, _question(network, question)), wish or Wish(), list(network.inputs)
    if flow_file is not None:
        lines, read = read_flows(flow_file)
        wish = replace(wish, flows=lines)
        inputs.append(read)
    return replay_asked(judged, inputs, settings or usual_settings(network), wish)


def _question(network: Network, words: Words) -> Question:
    """What is asked. Raises BadInput where that is about nothing."""
    question = Question(
        words.get("traffic", HOSTS),
        tuple(words.get("only", ())),
        tuple(words.get("exclude", ())),
        words.get("all_on_sl"),
        words.get("adaptive"),
        tuple(words.get("endpoint_coupled", ())),
    )
    refuse_without_pairs(network, question)
    return question
