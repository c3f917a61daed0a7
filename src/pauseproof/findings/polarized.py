"""Chains of hashes that repeat each other, and what no packet reaches because of it, as findings.

Findings of one kind at one tier go together: a fabric whose leaves and spines hash alike has one such finding, not thousands.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pauseproof.fabric.places import Place
from pauseproof.fabric.tiers import switch_tiers
from pauseproof.findings.hash_settings import hash_findings
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Finding
from pauseproof.findings.rules import rule
from pauseproof.hashing.chains import Met, chains_of
from pauseproof.hashing.decision import Decision
from pauseproof.hashing.polarization import Counted, Polarization, counted_chains, polarization
from pauseproof.hashing.settings import hashes_of
from pauseproof.hashing.unreached import Unreached
from pauseproof.routing.ask import HOSTS
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

MOST_ENTRIES = 4_000_000  # of all tables: on larger fabrics chains take longer than a verdict
FREE = (
    "of what two hosts send each other the source port's 14 low bits are free, and the bits of queue pair and flow label where"
    " they are hashed; a packet enters a switch by one port"
)
SEEDS_DO_NOT = "another seed alone changes nothing, since the hash is linear"


@dataclass(frozen=True)
class PolarizationReport:
    """What `pauseproof hash` reports: everything that was counted, with its findings."""

    network: Network
    found: Polarization
    findings: tuple[Finding, ...]
    assumptions: tuple[str, ...]

    @property
    def all_counted(self) -> bool:
        """Is it known of every chain what it can do, and of every member whether packets reach it?"""
        return not self.found.cut and all(one.count.method != "unknown" for one in self.found.chains)


def polarization_report(
    network: Network, *, seconds: float | None = None, done: Callable[[int, int], None] = lambda i, n: None
) -> PolarizationReport:
    """Count the chains of all hosts' packets; ``seconds`` and ``done`` as in :func:`polarization`."""
    found = polarization(network, network.traffics[HOSTS], seconds=seconds, done=done)
    polarized = [chain_finding(one) for one in found.chains if one.polarized]
    findings = [*polarized, *unreached_findings(network, found.unreached), *hash_findings(network)]
    return PolarizationReport(network, found, tuple(sorted(findings, key=by_severity)), (FREE, *found.hashes.assumptions))


def polarization_findings(network: Network, traffic: Traffic) -> list[Finding]:
    """The polarized chains of a fabric, or that it is too large for them to be counted along with a verdict."""
    if network.fabric.n_switches * len(network.destinations) > MOST_ENTRIES:
        known = rule("chains-not-counted")
        message = f"chains of hashes are not counted here on a fabric of {network.fabric.n_switches:,} switches"
        return [Finding(known.code, known.slug, known.severity, message, "chains", (), (), known.fix)]
    found = chains_of(network, hashes_of(network), traffic)
    return [chain_finding(one) for one in counted_chains(found, traffic) if one.polarized]


def chain_finding(one: Counted) -> Finding:
    """One polarized chain."""
    known = rule("hash-polarization")
    met, count = one.chain.met, one.count
    ways = f"{count.combinations:,} of {count.possible:,} combinations"
    tiers = " then ".join(f"tier {link.tier} ({link.size} ways{', lag' if link.stage.name == 'lag' else ''})" for link in met)
    message = (
        f"{tiers}: what two hosts send each other can take {ways} ({count.method}), {one.factor:.3g} times fewer than if no"
    )
    message += f" hash repeated another; so between {one.chain.pairs:,} pairs of a first switch and a destination. "
    message += f"{repeat_words(one)}. " if one.repeats else ""
    message += "; ".join(dict.fromkeys(f"tier {link.tier}: {link.stage.setting.words}" for link in met))
    identity = f"chain/{'/'.join(f'{link.tier}.{link.stage.name}.{link.size}' for link in met)}"
    places = tuple(dict.fromkeys(place for link in met for place in places_of(link)))
    return Finding(known.code, known.slug, known.severity, message, identity, places, (), remedy_words(one) or known.fix)


def repeat_words(one: Counted) -> str:
    """Which hashes of the chain repeat which."""
    met = one.chain.met
    named = [f"the hash of tier {met[j].tier} repeats that of tier {met[i].tier}" for i, j in one.repeats]
    return ", ".join(dict.fromkeys(named)).capitalize()


def places_of(met: Met) -> Iterator[Place]:
    """Where the setting of a hash was read or declared."""
    for key in ("algorithm", "fields", "seed", "offset", "policy"):
        if key in met.stage.setting.places:
            yield met.stage.setting.places[key]


def remedy_words(one: Counted) -> str:
    """The smallest change that helps, as it was counted again; empty where none was found."""
    if one.remedy is None:
        return ""
    met, after = one.chain.met[one.remedy.at], one.remedy.after
    of = "the lag hash of " if met.stage.name == "lag" else ""
    words = f"Set {one.remedy.key} {one.remedy.value} for {of}tier {met.tier}"
    words += f": {after.combinations:,} of {after.possible:,} combinations then, counted again"
    linear = all(link.stage.setting.linear for link in one.chain.met)
    return f"{words}; {SEEDS_DO_NOT}." if linear and one.remedy.key != "seed" else f"{words}."


def _member(network: Network, number: int) -> str:
    """A port, and who is behind it."""
    fabric, link = network.fabric, network.fabric.link(number)
    return f"port {fabric.port_name(link.src, link.src_port)} to {fabric.node_name[link.dst]}"


def unreached_findings(network: Network, found: Iterable[Unreached]) -> list[Finding]:
    """The members that no packet reaches, by tier and size of their groups; without those that were only unseen."""
    tiers, fabric = switch_tiers(network.fabric), network.fabric
    dead: dict[Decision, list[int]] = defaultdict(list)
    for one in found:
        if not one.unseen:
            dead[one.decision].append(one.link)
    alike: dict[tuple[int, int, int], list[Decision]] = defaultdict(list)
    for decision, links in dead.items():
        alike[int(tiers[decision.switch]) - 1, len(links), len(decision.group)].append(decision)
    out = []
    known = rule("unreached-members")
    for (tier, n, size), decisions in sorted(alike.items()):
        first = decisions[0]
        names = [_member(network, link) for link in dead[first][:4]]
        more = " ..." if n > len(names) else ""
        groups = f"{len(decisions):,} groups" if len(decisions) > 1 else "a group"
        message = f"{groups} of tier {tier}: {n} of {size} members carry nothing, such as at {fabric.node_name[first.switch]}: "
        message += ", ".join(names) + more
        identity = f"unreached/{tier}/{n}/{size}/{fabric.identity(first.switch)}"
        out.append(Finding(known.code, known.slug, known.severity, message, identity, (), (), known.fix))
    return out
