"""The fewest memberships to take away, by implicit hitting sets: a change is proposed that the conflicts known so far allow,
the packets of the network that would result show new conflicts, and so on until there are none.

The proposals are cheapest changes of a relaxed question, so that a proposal without conflicts is a cheapest repair. What is
claimed of it is proved from the conflicts alone (:mod:`pauseproof.repair.program`): every repair lacks a membership of each.
Ref: J. Davies, F. Bacchus, CP 2011 (MaxSAT by implicit hitting sets).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Literal

from pauseproof.repair.alternative import Budget
from pauseproof.repair.columns import ColumnFlow, Flows, Memberships
from pauseproof.repair.conflicts import Loops
from pauseproof.repair.entries import with_entries
from pauseproof.repair.grid import Bools, Grid
from pauseproof.repair.program import Program
from pauseproof.repair.proposals import Proposals
from pauseproof.routing.ask import Asked
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.tables import ChoiceTable

LOOPS_AT_ONCE = 64  # conflicts taken from one network
MOST_PACKED = 4096
MOST_STATES = 1 << 21  # (link, column) that the reference walker would visit, again and again
PROOF = 0.5  # seconds that a proof may always take

Why = Literal["solved", "enough", "hopeless", "budget", "unexplained"]


@dataclass(frozen=True)
class Fewest:
    """``bound``: every repair takes away as many. ``member`` [X, C] takes away just that many, and has no conflict; or None.

    ``why`` says in a word what ended the search: "solved", "enough" (the bound has come to what was known already), "hopeless"
    (some conflict cannot be helped), "budget", or "unexplained" (packets that choose: loops are not all that matters).
    """

    bound: int
    member: Bools | None
    why: Why


@dataclass
class Search:
    """``known``: the cost of a repair that was found already, None where there is none. ``may_add``: whether entries that lose
    all their next hops may get another; else every entry must keep one."""

    asked: Asked
    grid: Grid
    known: int | None
    budget: Budget
    may_add: bool = True
    required: Sequence[Sequence[Source]] = ()
    _known_flows: dict[tuple[int, bytes], ColumnFlow] = field(default_factory=dict)
    _conflicts: list[Memberships] = field(default_factory=list)

    def run(self) -> Fewest:
        """The search; it ends with the budget at the latest."""
        if self.grid.member.size > MOST_STATES:
            return Fewest(1, None, "budget")
        of_today = self._flows_of(self.grid.member)
        if of_today is None:
            return Fewest(1, None, "budget")
        if not all(flow.commits for flow in of_today):
            return Fewest(1, None, "unexplained")
        self.required = [self._arriving(flow) for flow in of_today]
        bound = max(1, len(self._collect(of_today, self.budget.share(3), MOST_PACKED)))  # something has to change
        if frozenset() in self._conflicts:
            return Fewest(bound, None, "hopeless")
        if self.known is not None and bound >= self.known:
            return Fewest(bound, None, "enough")
        proposals = Proposals(self.grid, may_add=self.may_add)
        member, why = self._propose(proposals)
        return self._proved(proposals.program, bound, member, why)

    def _propose(self, proposals: Proposals) -> tuple[Bools | None, Why]:
        """Next hops without a conflict, cheaper than what is known; or None, and why."""
        while self.budget.left:
            proposals.tell(self._conflicts)
            member = proposals.propose(self.budget.left)
            if member is None:
                return None, "hopeless" if self.budget.left else "budget"
            if self.known is not None and self.grid.withdrawn(member) >= self.known:
                return None, "enough"
            flows = self._flows_of(member)
            if flows is None:
                return None, "budget"
            if not self._collect(flows, self.budget, LOOPS_AT_ONCE):
                return member, "solved"
            if frozenset() in self._conflicts:
                return None, "hopeless"
        return None, "budget"

    def _proved(self, program: Program, bound: int, member: Bools | None, why: Why) -> Fewest:
        """What can be claimed: the bound of the relaxed program, and z3's word where that is not enough."""
        bound = max(bound, program.bound(self.budget.left + PROOF))
        best = self.known if member is None else self.grid.withdrawn(member)
        if why == "budget" or (best is not None and bound >= best):
            return Fewest(bound, member, why)
        cheapest = program.cheapest(self.budget.left + PROOF)
        if cheapest == "none":
            return Fewest(bound, None, "hopeless")
        if cheapest == "unknown":
            return Fewest(bound, member, "budget" if why == "hopeless" else why)
        return Fewest(max(bound, cheapest), member, why)

    def _collect(self, flows: Sequence[ColumnFlow], budget: Budget, most: int) -> list[Memberships]:
        """The conflicts of a network: loops that share no membership, and pairs that are cut off (none are today)."""
        loops = list(islice(Loops(flows).disjoint(budget, most), most))
        cut = [conflict for flow, required in zip(flows, self.required, strict=True) for conflict in flow.failures(required)]
        self._conflicts += dict.fromkeys(loops + cut)
        return loops + cut

    def _arriving(self, flow: ColumnFlow) -> tuple[Source, ...]:
        return tuple(source for source in flow.walk.first if flow.walk.outcome_of(source) == Outcome.ROUTED)

    def _flows_of(self, member: Bools) -> list[ColumnFlow] | None:
        """The packets of every column with these next hops; None where time is up."""
        table = self.asked.network.routes
        assert isinstance(table, ChoiceTable)
        network = replace(self.asked.network, routes=with_entries(table, self.grid.entries(member)))
        out, rewriting = [], table.rewrite is not None
        for c, d in enumerate(self.grid.columns.tolist()):
            key = d, (member if rewriting else member[:, c]).tobytes()  # tunnels lead packets into other columns
            if key not in self._known_flows:
                if not self.budget.left:
                    return None
                self._known_flows[key] = self._maker.of(network, d)
            out.append(self._known_flows[key])
        return out

    @cached_property
    def _maker(self) -> Flows:
        return Flows(self.asked.network, self.asked.traffic, self.movable)

    def movable(self, s: int, d: int) -> bool:
        """Whether the entry of switch ``s`` for table column ``d`` may change."""
        c = self.grid.index.get(d)
        return c is not None and bool(self.grid.movable[s, c])
