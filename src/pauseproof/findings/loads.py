"""What is wrong with the load of a job, or with how tables use a fabric, as findings."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.naming import link_identity, link_title, some
from pauseproof.fabric.places import Place
from pauseproof.fabric.tiers import tier_words
from pauseproof.findings.report import Finding, Severity
from pauseproof.findings.rules import rule
from pauseproof.loads.balance import Balance, Level
from pauseproof.loads.chance import Chance
from pauseproof.loads.hot import MOST
from pauseproof.loads.job_load import JobLoad
from pauseproof.loads.measured import LOWER_BOUND, Measured
from pauseproof.loads.why import Why
from pauseproof.routing.network import Network

HOT = 1.2  # times as long as on a perfectly spread fabric
CROWDED = 2.0  # times as long as the busiest sender needs
ON_INFINIBAND = (
    "Spread the flows that the report names: other routes (another routing engine, or LMC with connections over several LIDs) "
    "or adaptive routing."
)
_SHOWN = 3


def load_findings(measured: Measured, used: Balance) -> list[Finding]:
    """Everything about one job."""
    found = measured.run
    hot = _hot_phases(measured, measured.chance) if measured.chance else _hot_links(measured)
    return [*hot, *_not_sampled(measured), *_incast(found), *_not_delivered(found), *balance_findings(found.network, used)]


def balance_findings(network: Network, used: Balance) -> list[Finding]:
    """Links between switches that serve no destination, a finding for each two tiers."""
    out = []
    for level in used.levels:
        if len(level.idle) and min(level.from_tier, level.to_tier) > 0:
            idle = some([link_title(network.fabric, int(link)) for link in level.idle], _SHOWN)
            message = f"{len(level.idle)} of {len(level.links)} links {between(level)} serve no destination: {idle}"
            out.append(_finding("idle-links", message, f"idle/{level.from_tier}/{level.to_tier}"))
    return out


def between(level: Level) -> str:
    """The tiers that links join, in words."""
    if level.from_tier == level.to_tier:
        return f"within {tier_words(level.from_tier)}"
    ends = [tier_words(tier) if tier else "the hosts" for tier in (level.from_tier, level.to_tier)]
    return f"from {ends[0]} {'up' if level.from_tier < level.to_tier else 'down'} to {ends[1]}"


def _hot_links(measured: Measured) -> Iterator[Finding]:
    """One finding a link."""
    found = measured.run
    fabric, slow = found.fabric, found.times.slowdowns
    for phase, why in measured.hot:
        if slow[phase] < HOT or max(fabric.link_src[why.link], fabric.link_dst[why.link]) >= fabric.n_switches:
            continue
        message = (
            f"{link_title(fabric, why.link)} makes {found.phases[phase]} take {slow[phase]:.2f} times as long as on a "
            f"perfectly spread fabric; {sibling_words(why)}"
        )
        yield _hot(fabric, message, f"hot/{link_identity(fabric, why.link)}", *_places(why))


def _hot_phases(measured: Measured, drawn: Chance) -> Iterator[Finding]:
    """Which links are hot differs from sample to sample: a finding is known by its phase, and rests on the median of that."""
    found, slow, reasons = measured.run, drawn.phases[1], dict(measured.hot)
    lost = (slow - 1.0) * found.times.perfect
    for phase in np.argsort(-lost, kind="stable")[:MOST].tolist():
        if slow[phase] < HOT:
            continue
        message = (
            f"half of {len(drawn.slowdown)} samples of {found.phases[phase]} take {slow[phase]:.2f} times as long as on a "
            "perfectly spread fabric, or longer"
        )
        why = reasons.get(phase)
        if why is not None:
            message += f"; in the median sample most is on {link_title(found.fabric, why.link)}: {sibling_words(why)}"
        yield _hot(found.fabric, message, f"hot-drawn/{phase}", *(_places(why) if why else ()))


def _hot(fabric: Fabric, message: str, identity: str, *where: Place) -> Finding:
    finding = _finding("hot-link", message, identity, *where)
    return replace(finding, fix=ON_INFINIBAND) if fabric.kind == "infiniband" else finding


def _places(why: Why) -> Iterable[Place]:
    """The rows that brought the heaviest flows to the link, each once."""
    return dict.fromkeys(d.place for carried in why.heaviest for d in carried.decisions if d.link == why.link and d.place)


def _not_sampled(measured: Measured) -> Iterator[Finding]:
    if measured.kind == LOWER_BOUND:
        slow = measured.mean.times.slowdown
        message = (
            f"there are too many flows to draw samples: the slowdown is at least {slow:.2f} on average, "
            "how much more is not known"
        )
        yield _finding("slowdown-not-sampled", message, "slowdown-not-sampled")


def sibling_words(why: Why) -> str:
    """What the links beside it carry."""
    others = why.siblings[1:]
    if not others:
        return "its switch has no other link to that tier"
    idle = sum(bytes == 0 for bytes in others)
    mean = sum(others) / len(others) / why.bytes
    links = "the other link" if len(others) == 1 else f"the {len(others)} other links"
    return f"{links} of its switch to that tier carr{'ies' if len(others) == 1 else 'y'} {mean:.0%} of that on average" + (
        f", {idle} of them nothing" if idle else ""
    )


def _incast(found: JobLoad) -> Iterator[Finding]:
    """One finding a receiver, for its worst phase."""
    overload = found.incast.overload(found.fabric, found.speeds.rate)
    worst = overload.argmax(axis=0) if len(overload) else np.empty(0, np.int64)
    for h in np.flatnonzero(overload.max(axis=0, initial=0.0) >= CROWDED).tolist():
        phase = int(worst[h])
        senders, host = int(found.incast.senders[phase, h]), found.fabric.host(h)
        if senders > 1:
            message = (
                f"{senders} hosts send to {host.name} at once in {found.phases[phase]}: its link needs "
                f"{overload[phase, h]:.1f} times as long as the busiest sender's"
            )
            yield _finding("incast", message, f"incast/{link_identity(found.fabric, host.down)}")


def _not_delivered(found: JobLoad) -> Iterator[Finding]:
    load = found.load
    total = sum(float(ends.sum()) for ends in (load.arrived, load.lost, load.looping, load.unknown))
    ways = {"are dropped": load.lost, "go round for ever": load.looping, "meet rows that were not read": load.unknown}
    for what, ends in ways.items():
        if ends.any():
            phases = [found.phases[p] for p in np.flatnonzero(ends)[:_SHOWN].tolist()]
            message = f"{float(ends.sum()) / total:.1%} of the job's bytes {what}, in {', '.join(phases)}"
            finding = _finding("job-not-delivered", message, f"not-delivered/{what}")
            yield replace(finding, severity=Severity.WARNING) if ends is load.unknown else finding


def _finding(slug: str, message: str, identity: str, *where: Place) -> Finding:
    known = rule(slug)
    return Finding(known.code, known.slug, known.severity, message, identity, where, (), known.fix)
