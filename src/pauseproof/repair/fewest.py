"""The fewest memberships to take away, by implicit hitting sets: z3 proposes the cheapest change that the conflicts known so
far allow, the packets of the network that would result show new conflicts, and so on until there are none.

One boolean a membership, asked for when some conflict has it, and for every other link of such an entry, which may take the
place of all next hops of today. Each proposal is the cheapest of a relaxed question, so its cost is a lower bound on that of
every repair; one without conflicts is a cheapest repair. Ref: J. Davies, F. Bacchus, CP 2011 (MaxSAT by implicit hitting
sets).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from pauseproof.repair.alternative import Budget
from pauseproof.repair.columns import ColumnFlow, Flows, Memberships
from pauseproof.repair.conflicts import Loops
from pauseproof.repair.entries import with_entries
from pauseproof.repair.grid import Bools, Grid
from pauseproof.repair.proposals import Proposals
from pauseproof.routing.ask import Asked
from pauseproof.routing.packets import Outcome, Source
from pauseproof.routing.tables import ChoiceTable

LOOPS_AT_ONCE = 64  # conflicts taken from one network
MOST_PACKED = 4096


@dataclass(frozen=True)
class Fewest:
    """``bound``: every repair takes away as many. ``member`` [X, C] takes away just that many, and has no conflict; or None.

    ``why`` says in a word what ended the search: "solved", "enough" (the bound has come to what was known already), "hopeless"
    (some conflict cannot be helped), "budget", or "unexplained" (packets that choose: loops are not all that matters).
    """

    bound: int
    member: Bools | None
    why: str


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
        of_today = self._flows_of(self.grid.member)
        if not all(flow.commits for flow in of_today):
            return Fewest(1, None, "unexplained")
        self.required = [self._arriving(flow) for flow in of_today]
        bound = len(self._collect(of_today, self.budget.share(3), MOST_PACKED))
        proposals = Proposals(self.grid, may_add=self.may_add)
        while not self._enough(bound):
            if frozenset() in self._conflicts:
                return Fewest(bound, None, "hopeless")
            if not self.budget.left:
                return Fewest(bound, None, "budget")
            answer = proposals.cheapest(self._conflicts, self.budget.left)
            if isinstance(answer, str):
                return Fewest(bound, None, answer)
            cost, member = answer
            bound = max(bound, cost)
            if self._enough(bound):
                break
            if not self._collect(self._flows_of(member), self.budget, LOOPS_AT_ONCE):
                return Fewest(bound, member, "solved")
        return Fewest(bound, None, "enough")

    def _enough(self, bound: int) -> bool:
        return self.known is not None and bound >= self.known

    def _collect(self, flows: Sequence[ColumnFlow], budget: Budget, most: int) -> list[Memberships]:
        """The conflicts of a network: loops that share no membership, and pairs that are cut off (none are today)."""
        loops = list(islice(Loops(flows).disjoint(budget, most), most))
        cut = [conflict for flow, required in zip(flows, self.required, strict=True) for conflict in flow.failures(required)]
        self._conflicts += dict.fromkeys(loops + cut)
        return loops + cut

    def _arriving(self, flow: ColumnFlow) -> tuple[Source, ...]:
        return tuple(source for source in flow.walk.first if flow.walk.outcome_of(source) == Outcome.ROUTED)

    def _flows_of(self, member: Bools) -> list[ColumnFlow]:
        table = self.asked.network.routes
        assert isinstance(table, ChoiceTable)
        network = replace(self.asked.network, routes=with_entries(table, self.grid.entries(member)))
        out = []
        for c, d in enumerate(self.grid.columns.tolist()):
            key = d, member[:, c].tobytes()
            if key not in self._known_flows:
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
