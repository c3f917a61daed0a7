"""All kinds of repair asked about one fabric, each within its share of the budget; what they find is applied and judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pauseproof.deadlock.analysis import whole_graph
from pauseproof.deadlock.certificate import buffer_name
from pauseproof.deadlock.stuck import peel
from pauseproof.findings.report import Verdict
from pauseproof.findings.verdict import Judged, judge
from pauseproof.repair.alternative import Alternative, Budget, NotOffered
from pauseproof.repair.apply import Applied, applied, seconds_to_prove
from pauseproof.repair.effects import effects_of, ways_of
from pauseproof.repair.escapes import smallest_escape
from pauseproof.repair.kinds import KINDS, kind
from pauseproof.routing.ask import Asked, Question
from pauseproof.routing.convert import choice_table_from_rows
from pauseproof.routing.network import Network
from pauseproof.routing.tables import RowTable

MOST_ENTRIES = 1 << 24  # of a table that is written out entry by entry


@dataclass(frozen=True)
class EscapeSet:
    """What packets that reselect can rely on: names of ``buffers``, none where there is no escape set; ``stuck`` counts the
    buffers of the greatest stuck set then. No escape has fewer than ``bound``."""

    buffers: tuple[str, ...]
    bound: int
    stuck: int

    @property
    def exists(self) -> bool:
        """Whether there is one."""
        return not self.stuck


@dataclass(frozen=True)
class Repair:
    """What can be done: ``offered`` alternatives, in the order of :func:`least_first`, and why others are not. ``escape`` is
    None where no packet has a choice, and where what was not read matters."""

    before: Judged
    offered: tuple[Applied, ...] = ()
    not_offered: tuple[NotOffered, ...] = ()
    escape: EscapeSet | None = None


def repair(network: Network, question: Question, *, kinds: Sequence[str] = (), budget: Budget) -> Repair:
    """Alternatives of the given kinds (all where none is given) for a fabric with a stuck set; none where there is no such set.

    Raises BadInput where the network cannot be asked this, KeyError for a kind that there is not.
    """
    wanted = [name for name in KINDS if not kinds or name in kinds]
    before = judge(network, question)
    if before.verdict is not Verdict.DEADLOCK_POSSIBLE:
        return Repair(before, escape=_escape(before, replace(budget, what="looking for an escape set")))
    if len(network.destinations) * network.fabric.n_switches > MOST_ENTRIES:
        too_large = f"the tables have more than {MOST_ENTRIES:,} entries; ask about a part of the fabric with --only"
        return Repair(before, (), tuple(NotOffered(name, too_large) for name in wanted))
    before = _written_out(before)
    proof = seconds_to_prove(before.asked)
    offered, refused = list[Applied](), list[NotOffered]()
    for i, name in enumerate(wanted):
        if any(name in one.also for one in offered):
            continue
        share = budget.share(len(wanted) - i, less=proof, what=f"looking for {name}")
        for found in kind(name).alternatives(before.asked, before.analysis, share):
            budget.watch(f"proving {name}")
            answer = found if isinstance(found, NotOffered) else applied(before, found)
            if isinstance(answer, NotOffered):
                refused.append(answer)
            else:
                offered.append(replace(answer, also=_also(before, answer.alternative, wanted)))
    return Repair(
        before,
        _weighed(before.asked, offered),
        tuple(refused),
        _escape(before, replace(budget, what="looking for an escape set")),
    )


def _also(before: Judged, found: Alternative, wanted: Sequence[str]) -> tuple[str, ...]:
    """Cheapest routes that are only withdrawn are the fewest to withdraw too: the question is the same with less allowed."""
    ethernet = before.asked.network.fabric.kind == "roce"
    only_withdrawn = all(change.machine.get("action") == "withdraw" for change in found.changes)
    return ("withdraw",) if found.kind == "routes" and "withdraw" in wanted and ethernet and only_withdrawn else ()


def _weighed(before: Asked, offered: Sequence[Applied]) -> tuple[Applied, ...]:
    ways = ways_of(before.network, before.traffic) if offered else None
    return tuple(sorted((replace(one, effects=effects_of(before, ways, one.alternative)) for one in offered), key=least_first))


def least_first(one: Applied) -> tuple[bool, int, int]:
    """The order: what keeps every class lossless first, then the fewest changes, then in the order of the kinds."""
    chosen = one.alternative
    return chosen.kind == "lossy", one.effects.changed if one.effects else 0, list(KINDS).index(chosen.kind)


def _escape(judged: Judged, budget: Budget) -> EscapeSet | None:
    """The smallest escape set, where packets have a choice at all."""
    if not judged.analysis.adaptive or judged.verdict is Verdict.UNDECIDED:
        return None
    network = judged.asked.network
    free = judged.verdict is Verdict.DEADLOCK_FREE
    graph = whole_graph(network, judged.asked.traffic, worst=free)
    found = smallest_escape(graph, budget) if free else None
    if found is None:
        return EscapeSet((), 0, len(peel(graph).stuck))
    return EscapeSet(tuple(sorted(buffer_name(network, graph.link_lane(b)) for b in found.buffers)), found.bound, 0)


def _written_out(judged: Judged) -> Judged:
    """The same with tables of bits as choices, which is what is changed."""
    network = judged.asked.network
    if not isinstance(network.routes, RowTable):
        return judged
    network = replace(network, routes=choice_table_from_rows(network.routes))
    return judged._replace(asked=replace(judged.asked, network=network))
