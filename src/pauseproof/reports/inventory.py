"""What was read: files and their formats, what was skipped and why, the fabric in a few numbers, and its hashes."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.places import Problem, Remark
from pauseproof.fabric.tiers import UNREACHED, switch_tiers, tier_words
from pauseproof.findings.rules import BY_SLUG
from pauseproof.readers.snapshot import InputFile
from pauseproof.reports.hashes import hash_lines
from pauseproof.reports.styled import BLANK, Line, Span, line, title
from pauseproof.reports.words import count, printable
from pauseproof.routing.network import Network

MOST_REMARKS = 50
_KIND_NAMES = {NodeKind.HOST: "host", NodeKind.AGGREGATION: "aggregation node", NodeKind.ROUTER: "router"}


def inventory_lines(network: Network) -> Iterator[Line]:
    """The inventory of a network, line by line."""
    yield from _files(network.inputs)
    yield BLANK
    yield title(f"Fabric {printable(network.fabric.name)}, {network.fabric.kind}")
    yield from (line("  ", text) for text in _fabric(network.fabric))
    yield from (line("  ", text) for text in _forwarding(network))
    yield from hash_lines(network)
    yield from _remarks(network.remarks)
    yield from _assumptions(network.assumptions)


def incomplete_lines(inputs: Sequence[InputFile], problems: Sequence[Problem]) -> Iterator[Line]:
    """The files alone, and why no fabric can be made of them."""
    yield from _files(inputs)
    yield BLANK
    yield title("No fabric can be made of them")
    yield from (line("  ", Span(printable(str(problem)), "bad")) for problem in problems[:MOST_REMARKS])
    if len(problems) > MOST_REMARKS:
        yield line(Span(f"  and {len(problems) - MOST_REMARKS:,} more", "quiet"))


def _files(inputs: Sequence[InputFile]) -> Iterator[Line]:
    yield title("Files")
    width = max((len(printable(entry.path)) for entry in inputs), default=0)
    for entry in sorted(inputs, key=lambda entry: entry.path):
        said = f"skipped: {printable(entry.skipped)}" if entry.skipped else f"read as {entry.format}"
        yield line(f"  {printable(entry.path):<{width}}  ", Span(said, "quiet" if entry.skipped else ""))


def _fabric(fabric: Fabric) -> Iterator[str]:
    kinds = Counter(NodeKind(fabric.node_kind[node]) for node in fabric.host_node.tolist())
    ends = [count(kinds[kind], f"{name} port") for kind, name in _KIND_NAMES.items() if kinds[kind]]
    switches = count(fabric.n_switches, "switch", "switches")
    yield ", ".join([switches, *ends, count(fabric.n_links // 2, "cable")])
    tiers = Counter(switch_tiers(fabric).tolist())
    for tier in sorted(tiers):
        name = tier_words(tier) if tier != UNREACHED else "no host reaches"
        yield f"{name}: {count(tiers[tier], 'switch', 'switches')}"
    if fabric.speed is not None:
        speeds = Counter(fabric.speed[~np.isnan(fabric.speed)].tolist())
        yield from (f"{count(speeds[speed] // 2, 'cable')} of {speed:g} Gb/s" for speed in sorted(speeds))


def _forwarding(network: Network) -> Iterator[str]:
    label, lane = ("SLs", "VLs") if network.fabric.kind == "infiniband" else ("labels", "priorities")
    switches = count(network.fabric.n_switches, "switch", "switches")
    yield f"tables of {network.tables_read:,} of {switches}, {count(len(network.destinations), 'destination')}"
    yield f"{label} {_names(network.lanes.label_names)}; {lane} {_names(network.lanes.lane_names)}"
    yield f"traffic that can be asked for: {', '.join(sorted(network.traffics))}"


def _names(names: Sequence[str]) -> str:
    shown = [printable(name) for name in names]
    return ", ".join(shown) if len(shown) <= 4 else f"{shown[0]} .. {shown[-1]}"


def _remarks(remarks: Sequence[Remark]) -> Iterator[Line]:
    if not remarks:
        return
    yield BLANK
    yield title("What was odd about it")
    ordered = sorted(remarks, key=lambda remark: (remark.rule, remark.about, remark.message))
    for remark in ordered[:MOST_REMARKS]:
        rule = BY_SLUG.get(remark.rule)
        at = f" ({printable(str(remark.places[0]))})" if remark.places else ""
        yield line(f"  {rule or remark.rule}: {printable(remark.message)}", Span(at, "quiet"))
    if len(ordered) > MOST_REMARKS:
        yield line(Span(f"  and {len(ordered) - MOST_REMARKS:,} more; pauseproof verify --format json has all", "quiet"))


def _assumptions(assumptions: Sequence[str]) -> Iterator[Line]:
    if assumptions:
        yield BLANK
        yield title("It assumes")
        yield from (line("  - ", printable(assumption)) for assumption in assumptions)
