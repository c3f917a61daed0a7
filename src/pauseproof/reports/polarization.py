"""Chains of hashes for people and for programs: what they can do together, what would help, what no packet reaches."""

from collections.abc import Iterator, Sequence

from pauseproof.findings.polarized import PolarizationReport, remedy_words, repeat_words
from pauseproof.findings.report import Input
from pauseproof.hashing.chains import Met
from pauseproof.hashing.combinations import UNSEEN_SHARE
from pauseproof.hashing.polarization import Counted
from pauseproof.hashing.unreached import Unreached
from pauseproof.reports.documents import Json, document, inputs_json, rendered
from pauseproof.reports.json import finding_json
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line, title
from pauseproof.reports.text import bare_finding
from pauseproof.reports.words import count, encodable, printable

MOST_CHAINS = 20


def polarization_lines(report: PolarizationReport, paths: Sequence[str]) -> Iterator[Line]:
    """The worst first, then every chain, members, and findings."""
    found, fabric = report.found, report.network.fabric
    worst = max((one.factor for one in found.chains), default=1.0)
    counted = [one for one in found.chains if one.count.method != "unknown"]
    yield line(Span(*_verdict(worst, len(found.chains), len(counted))), f"  {printable(fabric.name)}, {fabric.kind}")
    yield BLANK
    yield title("Chains of hashes on real paths, the longest first")
    for one in found.chains[:MOST_CHAINS]:
        yield from _chain(report, one)
    if len(found.chains) > MOST_CHAINS:
        yield line(Span(f"  and {len(found.chains) - MOST_CHAINS:,} more; --format json has all of them", "quiet"))
    if not found.chains:
        yield line("  none: no packet between hosts meets a group of several links")
    if found.cut:
        yield line(Span("  some switches begin so many chains that only the longest were counted", "unsure"))
    yield from _members(report)
    if report.findings:
        yield BLANK
        yield title("Findings")
        for finding in report.findings:
            yield from bare_finding(finding)
    yield from _next(report)
    yield BLANK
    yield title("It assumes")
    for assumption in report.assumptions:
        yield line("  - ", printable(assumption))


def _next(report: PolarizationReport) -> Iterator[Line]:
    """What to declare where hashes are not known."""
    unknown = {link for one in report.found.chains for link in one.chain.met if not link.known and not link.linear}
    if not unknown:
        return
    yield BLANK
    yield title("Not known")
    for link in sorted(unknown, key=lambda link: (link.tier, link.stage.name, link.size)):
        why = "; ".join((*link.stage.setting.open, *([f"order: {link.unclear}"] if link.unclear else [])))
        yield line(
            f"  tier {link.tier}{_lag(link)}, {link.size} ways: ", Span(printable(why or link.stage.setting.words), "unsure")
        )
    yield line(
        "  Declare it under `hashing:`, in the topology file or in a pauseproof.yaml beside the dumps (docs/hash-settings.md)"
    )


def _verdict(worst: float, chains: int, counted: int) -> tuple[str, Meaning]:
    if worst >= 2:
        return f"POLARIZED  {worst:.3g} times fewer combinations than hashes that do not repeat each other", "bad"
    if counted < chains:
        return f"NOT KNOWN  {chains - counted} of {count(chains, 'chain')} cannot be counted", "unsure"
    return f"SPREAD  no chain of {chains} loses half of its combinations" if chains else "NO HASHES", "good"


def _chain(report: PolarizationReport, one: Counted) -> Iterator[Line]:
    names = report.network.fabric.node_name
    met = " then ".join(f"tier {link.tier}{_lag(link)}: {link.size} ways" for link in one.chain.met)
    yield line(f"  {met}, such as ", " -> ".join(printable(names[s]) for s in one.chain.switches))
    yield line("      ", Span(*_counted(one)), f", for {count(one.chain.pairs, 'pair')} of a first switch and a destination")
    for link in dict.fromkeys(one.chain.met):
        yield line(Span(f"      tier {link.tier}{_lag(link)}: {printable(link.stage.setting.words)}", "quiet"))
    if one.repeats:
        yield line(Span(f"      {repeat_words(one)}, in whole or in part", "bad"))
    if words := remedy_words(one):
        yield line("      fix: ", printable(words))


def _lag(met: Met) -> str:
    return " lag" if met.stage.name == "lag" else ""


def _counted(one: Counted) -> tuple[str, Meaning]:
    """The count with how it was found."""
    found = one.count
    if found.method == "unknown":
        return f"not known how many of {found.possible:,} combinations", "unsure"
    words = f"{found.combinations:,} of {found.possible:,} combinations"
    if found.least < found.most:
        words += f" ({found.least:,} to {found.most:,}, by the pair of hosts)"
    if found.method == "sample":
        words += f" seen in a sample; others have a share below {UNSEEN_SHARE:.1g} each, with 99 % confidence"
    else:
        words += f", by {found.method} over {count(found.free, 'free bit')}"
    return words, "bad" if one.polarized else "good"


def _members(report: PolarizationReport) -> Iterator[Line]:
    found = report.found
    yield BLANK
    yield title("Members of groups that no packet reaches")
    if found.uncounted:
        yield line(Span(f"  not looked for: {found.uncounted}", "unsure"))
        return
    dead = [one for one in found.unreached if not one.unseen]
    unseen = len(found.unreached) - len(dead)
    yield line("  ", Span(f"{len(dead):,}" if dead else "none", "bad" if dead else "good"))
    if unseen:
        yield line(Span(f"  {unseen:,} more were reached by none of many random packets", "unsure"))
    if found.proofs:
        each = ", ".join(f"{found.proofs.count(word):,} {word}" for word in ("proved", "refuted", "undecided"))
        yield line(f"  by z3: {each}")


def render_polarization(report: PolarizationReport, inputs: Sequence[Input]) -> str:
    """As JSON text; its schema is docs/schema/polarization.schema.json."""
    found = report.found
    proofs = [*found.proofs, *[None] * (len(found.unreached) - len(found.proofs))]
    return rendered(
        document(
            inputs=inputs_json(inputs),
            fabric=encodable(report.network.fabric.name),
            chains=[_chain_json(report, one) for one in found.chains],
            chains_cut=found.cut,
            unreached=[_member_json(report, one, proof) for one, proof in zip(found.unreached, proofs, strict=True)],
            unreached_not_looked_for=encodable(found.uncounted),
            findings=[finding_json(finding) for finding in report.findings],
            assumptions=[encodable(text) for text in report.assumptions],
        )
    )


def _chain_json(report: PolarizationReport, one: Counted) -> Json:
    names, found = report.network.fabric.node_name, one.count
    out: Json = {
        "tiers": [link.tier for link in one.chain.met],
        "switches": [encodable(names[s]) for s in one.chain.switches],
        "hashes": [_met_json(link) for link in one.chain.met],
        "pairs": one.chain.pairs,
        "possible": found.possible,
        "combinations": found.combinations if found.method != "unknown" else None,
        "method": found.method,
        "free_bits": found.free,
        "least": found.least if found.method != "unknown" else None,
        "most": found.most if found.method != "unknown" else None,
        "factor": one.factor,
        "polarized": one.polarized,
        "repeats": [list(pair) for pair in one.repeats],
    }
    if one.remedy:
        after = one.remedy.after
        out["remedy"] = {
            "tier": one.chain.met[one.remedy.at].tier,
            "hash": one.chain.met[one.remedy.at].stage.name,
            "key": one.remedy.key,
            "value": one.remedy.value,
            "combinations": after.combinations,
            "possible": after.possible,
        }
    return out


def _met_json(met: Met) -> Json:
    setting = met.stage.setting
    return {
        "tier": met.tier,
        "hash": met.stage.name,
        "ways": met.size,
        "setting": encodable(setting.words),
        "where": {key: str(place) for key, place in sorted(setting.places.items())},
    }


def _member_json(report: PolarizationReport, one: Unreached, proof: str | None) -> Json:
    fabric = report.network.fabric
    s, link = one.decision.switch, fabric.link(one.link)
    return {
        "switch": encodable(fabric.node_name[s]),
        "port": encodable(fabric.port_name(s, link.src_port)),
        "to": encodable(fabric.node_name[link.dst]),
        "members": len(one.decision.group),
        "method": "sample" if one.unseen else "rank",
        "proof": proof,
    }
