"""Holds an alternative to what it promises: it is applied in memory, and the network that results is judged like any other.

It may be offered where the ordinary engine finds the new network DEADLOCK_FREE, where each pair of whose packets all arrive
today still has that, and where the certificate of the new verdict holds. The certificate is checked by the reference walker,
which shares no code with the engine, unless the fabric is too large for it.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from pauseproof.deadlock.analysis import analyse
from pauseproof.deadlock.certificate import Certificate, host_name
from pauseproof.deadlock.check import Refused, check_asked
from pauseproof.findings.report import Verdict
from pauseproof.findings.verdict import Judged, certificate_of, decide, other_traffic
from pauseproof.repair.alternative import Alternative, NotOffered
from pauseproof.repair.effects import Effects
from pauseproof.routing.ask import Asked
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.tables import ChoiceTable
from pauseproof.routing.walk import ColumnWalk, senders, targets, walk_column

TIMED = 3  # columns walked to see how long it takes
MORE = 2.0  # what is done beside walking
MOST_WALKED = 1 << 20  # states (column, link) that the reference walker is asked to visit


@dataclass(frozen=True)
class Applied:
    """An alternative that keeps its promise. ``checked``: the reference walker has confirmed the certificate.

    ``other_traffic`` is the verdict after it on each kind of traffic that was not asked about; ``effects`` are None where
    nobody asked. ``also`` names other kinds that have no better answer than this one.
    """

    alternative: Alternative
    judged: Judged
    certificate: Certificate
    checked: bool
    other_traffic: Mapping[str, Verdict] = field(default_factory=dict)
    effects: Effects | None = None
    also: tuple[str, ...] = ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """All that the verdict after it rests on, its own first."""
        return tuple(dict.fromkeys((*self.alternative.assumptions, *self.judged.asked.assumptions)))


def applied(before: Judged, alternative: Alternative) -> Applied | NotOffered:
    """The alternative with its verdict, or why it must not be offered."""
    rests_on = (*alternative.network.assumptions, *alternative.assumptions)
    network = replace(alternative.network, assumptions=tuple(dict.fromkeys(rests_on)))
    asked = replace(before.asked, network=network, traffic=alternative.traffic)
    analysis = analyse(network, asked.traffic)
    judged = Judged(asked, analysis, *decide(network, asked.traffic, analysis))
    if judged.verdict is not Verdict.DEADLOCK_FREE:
        return NotOffered(
            alternative.kind, f"after {_many(alternative)} the verdict is {judged.verdict.value}: {judged.reason}"
        )
    if lost := lost_pair(before, judged):
        return NotOffered(alternative.kind, f"after {_many(alternative)} a pair is cut off: {lost}")
    certificate = certificate_of(judged)
    checked = walkable(asked)
    if checked:
        try:
            check_asked(certificate, asked)
        except Refused as refusal:
            raise AssertionError(f"the certificate of a repair does not hold: {refusal}") from refusal
    return Applied(alternative, judged, certificate, checked, other_traffic(asked, judged.verdict))


def _many(alternative: Alternative) -> str:
    n = len(alternative.changes)
    return f"{n} change{'s' * (n != 1)}"


def walkable(asked: Asked) -> bool:
    """Whether the reference walker can visit every state in reasonable time."""
    return int(asked.traffic.destination_on.sum()) * asked.network.fabric.n_links <= MOST_WALKED


def seconds_to_prove(asked: Asked) -> float:
    """About how long it takes to apply and certify a change of such a network, going by the first few columns, which the
    reference walker is timed with."""
    if not walkable(asked):
        return 0.0
    columns, sources = list(targets(asked.network, asked.traffic)), list(senders(asked.network, asked.traffic))
    some = columns[:TIMED]
    start = time.monotonic()
    for column, member, _ in some:
        walk_column(asked.network, asked.traffic, sources, column, member)
    return MORE * (time.monotonic() - start) * len(columns) / max(1, len(some))


def lost_pair(before: Judged, after: Judged) -> str:
    """A pair all of whose packets arrive before and not after, in words; empty where there is none."""
    out, was = after.analysis.outcomes, before.analysis.outcomes
    if out.pairs != was.pairs:
        return f"{was.pairs} pairs were asked about, {out.pairs} are"
    if not (out.unroutable_pairs or out.looping_pairs or out.unknown_pairs):
        return ""
    if not walkable(after.asked):
        return "this fabric is too large to compare pair by pair what does not arrive today with what would not"
    for source, column, member in _changed_pairs(before.asked, after.asked):
        return _words(after.asked, source, column, member)
    return ""


def _words(asked: Asked, source: Source, column: int, member: int | None) -> str:
    network = asked.network
    sender = host_name(network.fabric, source.id) if source.kind == "host" else network.fabric.identity(source.id)
    to = f" (for {host_name(network.fabric, member)})" if member is not None else ""
    return f"{sender} to {network.destinations.names[column]}{to}"


def _changed_pairs(before: Asked, after: Asked) -> Iterator[tuple[Source, int, int | None]]:
    """The pairs that are lost, column by column; columns that nothing was changed for are not walked."""
    sources = senders(after.network, after.traffic)
    for column, member, node in targets(after.network, after.traffic):
        if not _differs(before, after, column):
            continue
        some = [source for source, from_node in sources.items() if from_node != node]
        now = walk_column(after.network, after.traffic, some, column, member)
        bad = [source for source in some if now.outcome_of(source) != Outcome.ROUTED]
        then = walk_column(before.network, before.traffic, bad, column, member)
        yield from ((source, column, member) for source in bad if _arrived(then, source))


def _arrived(walk: ColumnWalk, source: Source) -> bool:
    return walk.outcome_of(source) == Outcome.ROUTED


def _differs(before: Asked, after: Asked, column: int) -> bool:
    """Whether packets of a column may do something else; where lanes or labels changed, any may."""
    same = before.network.lanes is after.network.lanes and before.traffic is after.traffic
    old, new = before.network.routes, after.network.routes
    rewriting = any(isinstance(table, ChoiceTable) and table.rewrite is not None for table in (old, new))
    if not same or rewriting:
        return True
    return any(old.route(s, column) != new.route(s, column) for s in range(before.network.fabric.n_switches))
