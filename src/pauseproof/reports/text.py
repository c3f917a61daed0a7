"""A report for people: the verdict first, then each loop, what else was found, what the verdict covers, what to do next."""

from collections.abc import Iterator, Sequence

from pauseproof.fabric.naming import some
from pauseproof.findings.identity import short_id
from pauseproof.findings.outcome import by_severity, weight
from pauseproof.findings.report import (
    Because,
    Carries,
    Conditions,
    FabricReport,
    Finding,
    FlowWords,
    LoopHop,
    Report,
    Severity,
    Verdict,
)
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line, title
from pauseproof.reports.words import count, printable

NO_LOOP = ("stuck-set", "loop-not-realizable")  # a loop of buffers that is not one of the verdict's
STUCK_SET = "stuck-set"  # its hops are buffers, each with its choice set; they are no round
MOST_LOOPS = 10  # a reader mends the first few; --format json has them all
MOST_OF_A_RULE = 10
MOST_HOPS = 64
MOST_PLACES = 3

_VERDICT: dict[Verdict, Meaning] = {
    Verdict.DEADLOCK_FREE: "good",
    Verdict.DEADLOCK_POSSIBLE: "bad",
    Verdict.UNDECIDED: "unsure",
}
_SEVERITY: dict[Severity, Meaning] = {Severity.ERROR: "bad", Severity.WARNING: "unsure", Severity.INFO: "quiet"}


def report_lines(report: Report, again: str = "PATH...", paths: str = "PATH...") -> Iterator[Line]:
    """The report, line by line. ``again`` is what the user typed: paths and options, for the commands proposed at the end;
    ``paths`` is the paths alone."""
    fabrics = sorted(report.fabrics, key=lambda fabric: fabric.name)
    for i, fabric in enumerate(fabrics):
        if i:
            yield BLANK
        yield from _fabric(fabric, again, paths)


def loops_of(fabric: FabricReport) -> list[Finding]:
    """The findings that are a loop, in the order in which reports number them."""
    return [f for f in sorted(fabric.findings, key=by_severity) if f.loop and f.slug not in NO_LOOP]


def finding_lines(finding: Finding, fabric: FabricReport) -> Iterator[Line]:
    """One finding of the fabric alone, with its loop where it has one."""
    if finding.loop:
        yield from _loop(finding, "Stuck set" if finding.slug == STUCK_SET else "Loop", _lane_word(fabric))
    else:
        yield from bare_finding(finding)


def _fabric(fabric: FabricReport, again: str, paths: str) -> Iterator[Line]:
    yield from _verdict(fabric)
    loops = loops_of(fabric)
    for i, finding in enumerate(loops[:MOST_LOOPS], 1):
        yield BLANK
        yield from _loop(finding, f"Loop {i} of {len(loops)}" if len(loops) > 1 else "Loop", _lane_word(fabric))
    if len(loops) > MOST_LOOPS:
        yield line(Span(f"and {len(loops) - MOST_LOOPS:,} more; --format json has all of them", "quiet"))
    for finding in fabric.findings:
        if finding.slug == STUCK_SET:
            yield BLANK
            yield from _loop(finding, "Stuck set", _lane_word(fabric))
    yield from _findings(
        [
            finding
            for finding in sorted(fabric.findings, key=by_severity)
            if not finding.loop or finding.slug == "loop-not-realizable"
        ]
    )
    yield from _coverage(fabric)
    yield from _next(fabric, loops, again, paths)


def _verdict(fabric: FabricReport) -> Iterator[Line]:
    about = f"  {printable(fabric.name)}, {fabric.kind}, traffic: {printable(str(fabric.coverage.get('traffic', '?')))}"
    yield line(Span(fabric.verdict.value, _VERDICT[fabric.verdict]), about)
    if fabric.reason:
        yield line("  ", printable(fabric.reason))
    for fact in fabric.evidence:
        yield line("  ", Span(f"{fact.kind}: ", "quiet"), printable(fact.statement))


def _lane_word(fabric: FabricReport) -> tuple[str, str]:
    """What this kind of fabric calls a label and a lane."""
    return ("SL", "VL") if fabric.kind == "infiniband" else ("label", "priority")


def _loop(finding: Finding, heading: str, words: tuple[str, str]) -> Iterator[Line]:
    yield line(Span(heading, "title"), f"  {finding.rule} {finding.slug}: {printable(finding.message)}")
    hops = finding.loop[:MOST_HOPS]
    width = max(len(_from(hop)) for hop in hops)
    for hop in hops:
        yield line("  ", Span(f"{_from(hop):<{width}} -> {_to(hop)}, {words[1]} {printable(hop.lane)}", "bad"))
        if hop.because:
            what = " or ".join(named(finding, name, words[1]) for name in hop.waits_for) or "the next"
            yield line("      ", Span(f"waits for {what}: {_because(hop.because, words[0])}", "quiet"))
    if len(finding.loop) > MOST_HOPS:
        yield line(f"  ... {count(len(finding.loop) - MOST_HOPS, 'more buffer')}")
    if finding.slug != STUCK_SET:
        yield line("  ", Span("and back to the first", "bad"))
    if finding.carries:
        yield from _carries(finding, finding.carries, words)
    if finding.conditions:
        yield from _conditions(finding.conditions)
    yield from _advice(finding)


def named(finding: Finding, buffer: str, lane: str) -> str:
    """A buffer of a finding, of which ``buffer`` is the identity, in names; one that is none of its own as it is."""
    hop = next((hop for hop in finding.loop if hop.buffer == buffer), None)
    return printable(f"{hop.title}, {lane} {hop.lane}" if hop else buffer)


def _carries(finding: Finding, carries: Carries, words: tuple[str, str]) -> Iterator[Line]:
    """The packets that close the loop, or what is known of its dependencies one by one."""
    for flow, n in carries.flows:
        yield line(f"  flow: {_flow(flow, words[0])}, carries {count(n, 'dependency', 'dependencies')}")
    if carries.flows:
        return
    for fact in carries.dependencies:
        a, b = (named(finding, buffer, words[1]) for buffer in (fact.buffer, fact.waits_for))
        if fact.routable is False:
            yield line(f"  unroutable: no packet in {a} waits for {b}")
        elif fact.routable is None:
            yield line(f"  undecided: whether a packet in {a} waits for {b}: {printable(fact.why)}")
        elif fact.flow:
            yield line(f"  routable: {_flow(fact.flow, words[0])} waits in {a}")


def _flow(flow: FlowWords, label: str) -> str:
    ends = f"{printable(flow.source)} to {printable(flow.destination)}"
    if not flow.src_ip:
        return f"{ends}, {label} {printable(flow.label)}"
    more = "".join(f", {name} {value}" for name, value in flow.more)
    return f"UDP {_end(flow.src_ip, flow.src_port)} to {_end(flow.dst_ip, flow.dst_port)}{more} ({ends})"


def _end(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _conditions(conditions: Conditions) -> Iterator[Line]:
    """Which links can be overloaded, and whose pause fills the loop."""
    for load in conditions.links:
        unit = "links" if load.relative else "Gb/s"
        name = f"{printable(load.from_device)} port {printable(load.from_port)} -> {printable(load.device)}"
        if load.declared:
            least, most = load.declared
            rate = f"{most:g}" if least == most else f"{least:g} to {most:g}"
            yield line(f"  load: {name}: declared flows bring {rate} of {load.rate:g} {unit}")
        if not load.sends:
            yield line(f"  load: {name} cannot be overloaded: at most {load.most:g} of {load.rate:g} {unit} can come")
            continue
        senders = list(dict.fromkeys(printable(source) for source, _, _ in load.sends))
        few = f"{', '.join(senders[:MOST_PLACES])}{' ...' if len(senders) > MOST_PLACES else ''}"
        how = "no fewer" if load.fewest else "perhaps fewer"
        yield line(f"  load: {name} can be overloaded by {count(len(senders), 'sender')}, {how}: {few}")
    if conditions.triggers:
        near = ", ".join(f"{printable(host)} ({count(n, 'buffer')} away)" for host, n in conditions.triggers[:MOST_PLACES])
        yield line(
            f"  triggers: a pause of any of {count(len(conditions.triggers), 'host')} backs up into all of it: {near} first"
        )


def _from(hop: LoopHop) -> str:
    return f"{printable(hop.from_device)} port {printable(hop.from_port)}"


def _to(hop: LoopHop) -> str:
    return f"{printable(hop.device)} port {printable(hop.port)}"


def _because(because: Because, label: str) -> str:
    packet = f"{printable(because.source)} -> {printable(because.destination)}, {label} {printable(because.label)}"
    return f"{packet}, row at {printable(str(because.place))}" if because.place else packet


def _advice(finding: Finding) -> Iterator[Line]:
    if finding.fix:
        yield line("  fix: ", printable(finding.fix))
    yield line(Span(f"  id: {short_id(finding)}", "quiet"))


def _findings(findings: Sequence[Finding]) -> Iterator[Line]:
    if not findings:
        return
    yield BLANK
    yield title("Findings")
    shown: dict[str, int] = {}
    for finding in findings:
        shown[finding.rule] = shown.get(finding.rule, 0) + 1
        if shown[finding.rule] <= MOST_OF_A_RULE:
            yield from bare_finding(finding)
    for rule, number in shown.items():
        if number > MOST_OF_A_RULE:
            yield line(Span(f"  and {number - MOST_OF_A_RULE:,} more of {rule}; --format json has all of them", "quiet"))


def bare_finding(finding: Finding) -> Iterator[Line]:
    """A finding without its loop."""
    yield line(
        "  ",
        Span(finding.severity.value, _SEVERITY[finding.severity]),
        f" {finding.rule} {finding.slug}: {printable(finding.message)}",
    )
    if finding.where:
        yield line(Span(f"      at {printable(some([str(place) for place in finding.where], MOST_PLACES))}", "quiet"))
    if finding.fix and finding.severity is not Severity.INFO:
        yield line("      fix: ", printable(finding.fix))


def _coverage(fabric: FabricReport) -> Iterator[Line]:
    yield BLANK
    yield title("What the verdict covers")
    counted = dict(fabric.coverage)
    counted.pop("traffic", None)
    for group in _GROUPS:
        known = [(key, counted.pop(key)) for key in group if key in counted]
        if known:
            yield line("  ", ", ".join(_amount(key, value) for key, value in known))
    if counted:
        yield line("  ", ", ".join(_amount(key, counted[key]) for key in sorted(counted)))
    if fabric.cyclic_components:
        sizes = ", ".join(str(size) for size in sorted(fabric.cyclic_components, reverse=True)[:MOST_OF_A_RULE])
        yield line(f"  {count(len(fabric.cyclic_components), 'cyclic component')}, sizes: {sizes}")
    if fabric.assumptions:
        yield BLANK
        yield title("It assumes")
        for assumption in fabric.assumptions:
            yield line("  - ", printable(assumption))
    yield from _other_traffic(fabric)


_GROUPS = (
    ("switches", "hosts", "tables"),
    ("pairs", "unroutable_pairs", "looping_pairs", "unknown_pairs"),
    ("buffers", "dependencies"),
)

_ONE = {"switches": "switch", "dependencies": "dependency"} | {
    plural: plural[:-1]
    for plural in ("hosts", "tables", "pairs", "unroutable pairs", "looping pairs", "unknown pairs", "buffers")
}


def _amount(key: str, value: int | str) -> str:
    noun = key.replace("_", " ")
    if value == 1:
        noun = _ONE.get(noun, noun)
    return f"{value:,} {noun}" if isinstance(value, int) else f"{noun} {printable(value)}"


def _other_traffic(fabric: FabricReport) -> Iterator[Line]:
    if not fabric.other_traffic:
        return
    yield BLANK
    yield title("With other traffic")
    for name in sorted(fabric.other_traffic):
        verdict = fabric.other_traffic[name]
        yield line(f"  --traffic {printable(name)}: ", Span(verdict.value, _VERDICT[verdict]))


def _worth_explaining(finding: Finding) -> tuple[int, bool, str]:
    """Worst first; among equals, what the verdict itself rests on."""
    return -weight(finding.severity), not finding.rule.startswith("PP3"), finding.rule


def _next(fabric: FabricReport, loops: Sequence[Finding], again: str, paths: str) -> Iterator[Line]:
    rules = [loops[0]] if loops else sorted(fabric.findings, key=_worth_explaining)[:1]
    commands = [f"pauseproof draw {again} -o loop.svg"] if loops else []
    if fabric.verdict is Verdict.DEADLOCK_POSSIBLE:
        commands += [f"pauseproof {command} {again}" for command in ("replay", "repair")]
        commands += [f"pauseproof verify {again} --realize"] if fabric.hashes_to_ask else []
    if fabric.verdict is Verdict.UNDECIDED:
        commands.append(f"pauseproof show {paths}")
    commands += [f"pauseproof explain {finding.rule}" for finding in rules]
    if not commands:
        return
    yield BLANK
    yield title("Next")
    for command in commands:
        yield line("  ", command)
