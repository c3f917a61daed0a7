"""New routes one destination after the other: today's are kept as long as they close no loop with those that are in already.

For one column, switches get their next hops from the destination outwards. A switch keeps those of its next hops of today
whose dependencies the graph takes; where it takes none of them, the switch leaves by the link that needs the fewest new
dependencies. So that no pair is ever cut off, the turns of a spanning tree are put in first: they close no loop, and every
column can be routed along the tree if nothing else is left. Ref: J. Domke, T. Hoefler, S. Matsuoka, "Routing on the
Dependency Graph" (Nue), HPDC 2016. The order of the columns decides how much is moved, so several are tried: those that lost
most go first the next time.

Notation: ``x``, ``y`` inner links, ``c`` a column of the grid, ``s``, ``t`` switches.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pauseproof.repair.alternative import Budget
from pauseproof.repair.closure import Closure
from pauseproof.repair.grid import Bools, Grid

NextHops = dict[int, list[int]]  # by switch
ROUNDS = 8  # orders of columns tried for each tree
TREES = 16


@dataclass(frozen=True)
class Column:
    """One column of today: next hops by switch, where packets end, and the switches they come to, nearest first.

    ``lost`` are switches they come to from where none arrives; these stay as they are.
    """

    today: NextHops
    ends: frozenset[int]
    near_first: tuple[int, ...]
    lost: tuple[int, ...]


class Insertion:
    """Works on plain lists: the steps are small, and there are many."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.src, self.dst = grid.src.tolist(), grid.dst.tolist()
        self.out: list[list[int]] = [[] for _ in range(grid.fabric.n_switches)]
        for x in np.flatnonzero(grid.usable).tolist():
            self.out[self.src[x]].append(x)
        self.movable: list[list[bool]] = grid.movable.tolist()
        reached = grid.reached(grid.member) & ~grid.ends
        self.columns = [self._column(c, set(np.flatnonzero(reached[:, c]).tolist())) for c in range(len(grid.columns))]

    def _column(self, c: int, reached: set[int]) -> Column:
        today, before = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for x in np.flatnonzero(self.grid.member[:, c]).tolist():
            today[self.src[x]].append(x)
            before[self.dst[x]].append(self.src[x])
        ends = np.flatnonzero(self.grid.ends[:, c]).tolist()
        met, waiting = dict.fromkeys(ends), deque(ends)
        while waiting:
            fresh = [s for s in before[waiting.popleft()] if s not in met]
            met.update(dict.fromkeys(fresh))
            waiting.extend(fresh)
        lost = sorted(s for s in reached - set(met) if s in today)
        return Column(dict(today), frozenset(ends), tuple(s for s in met if s in reached), tuple(lost))

    def best(self, budget: Budget) -> Bools | None:
        """The cheapest ``member`` [X, C] found; None where some column has no way at all."""
        best: tuple[int, Sequence[NextHops]] | None = None
        for root in self.roots:
            order = list(range(len(self.columns)))
            for _ in range(ROUNDS):
                if best is not None and not budget.left:
                    break
                routed = self.insert(order, *self.along_tree(root))
                if routed is None:
                    break
                costs = [self._cost(c, hops) for c, hops in enumerate(routed)]
                if best is None or sum(costs) < best[0]:
                    best = sum(costs), routed
                order.sort(key=lambda c: -costs[c])
        found = [self.member(best[1])] if best is not None else []
        by_weight = sorted(self.grid.in_use, key=lambda turn: (-self.grid.in_use[turn], turn))
        found += [member for member, _ in self.planned(by_weight, budget)]
        return min(found, key=self.grid.withdrawn, default=None)

    def planned(self, kept_first: Sequence[tuple[int, int]], budget: Budget) -> Iterator[tuple[Bools, Closure]]:
        """``member``, and a graph with its dependencies, where the turns of today are kept in this order as long as they close
        no loop: where every column has a way then, that alone, else with spanning trees from several roots."""
        for root in (None, *self.roots):
            tree, graph = (set[int](), Closure(len(self.src))) if root is None else self.along_tree(root)
            for turn in kept_first:
                graph.add(*turn)
            routed = self.insert(range(len(self.columns)), tree, graph)
            if routed is not None:
                yield self.member(routed), graph
            if (routed is not None and root is None) or (root is not None and not budget.left):
                return

    @property
    def roots(self) -> list[int]:
        """A few switches, spread over all."""
        n = self.grid.fabric.n_switches
        return sorted({i * n // TREES for i in range(TREES)} & set(range(n)))

    def _cost(self, c: int, hops: NextHops) -> int:
        today = self.columns[c].today
        return sum(len(set(today[s]) - set(kept)) for s, kept in hops.items())

    def member(self, routed: Sequence[NextHops]) -> Bools:
        """The next hops of all columns as [X, C]; entries that no packet comes to are as they are today."""
        member = self.grid.member.copy()
        for c, hops in enumerate(routed):
            for s, kept in hops.items():
                member[self.columns[c].today[s], c] = False
                member[kept, c] = True
        still = ~self.grid.reached(member)[self.grid.src]
        member[still] = self.grid.member[still]
        return member

    def along_tree(self, root: int) -> tuple[set[int], Closure]:
        """The links of a spanning tree, and a graph with its turns."""
        tree, graph = self._tree(root), Closure(len(self.src))
        graph.add_all((x, y) for x in tree for y in self.out[self.dst[x]] if y in tree and self.dst[y] != self.src[x])
        return tree, graph

    def insert(self, order: Sequence[int], tree: set[int], graph: Closure) -> list[NextHops] | None:
        """Next hops of all columns, the first of ``order`` first; their dependencies are put into ``graph``, which should have
        the turns of ``tree``. None where some column has no way."""
        routed: list[NextHops] = [{} for _ in self.columns]
        for column in self.columns:
            for x in (x for s in column.lost for x in column.today[s]):
                for y in column.today.get(self.dst[x], ()):
                    graph.add(x, y)  # where it closes a loop, no other order of columns would help
        for c in order:
            before = graph.copy()
            hops = self.route(c, graph)
            if hops is None:
                graph.become(before)
                hops = self._along(c, tree)
            if hops is None:
                return None
            routed[c] = hops
        return routed

    def route(self, c: int, graph: Closure) -> NextHops | None:
        """Next hops for one column, whose dependencies are put into ``graph``; None where some switch is left without."""
        column = self.columns[c]
        hops: NextHops = {s: column.today[s] for s in column.lost}
        waiting = list(column.near_first)
        while waiting:
            left = [s for s in waiting if not self._keep(c, s, hops, graph)]
            if len(left) == len(waiting):
                moved = next((s for s in left if self._move(c, s, hops, graph)), None)
                if moved is None:
                    return None
                left.remove(moved)
            waiting = left
        return hops

    def _keep(self, c: int, s: int, hops: NextHops, graph: Closure) -> bool:
        today = self.columns[c].today[s]
        kept = [x for x in today if self._takes(c, x, hops, graph)]
        if kept and (self.movable[s][c] or len(kept) == len(today)):
            hops[s] = kept
        return s in hops

    def _move(self, c: int, s: int, hops: NextHops, graph: Closure) -> bool:
        if not self.movable[s][c]:
            return False
        ends, today = self.columns[c].ends, self.columns[c].today[s]
        ready = [x for x in self.out[s] if x not in today and (self.dst[x] in ends or self.dst[x] in hops)]
        new = {x: sum((x, y) not in graph.known for y in hops.get(self.dst[x], ())) for x in ready}
        taken = next((x for x in sorted(ready, key=lambda x: (new[x], x)) if self._takes(c, x, hops, graph)), None)
        if taken is not None:
            hops[s] = [taken]
        return taken is not None

    def _takes(self, c: int, x: int, hops: NextHops, graph: Closure) -> bool:
        """Whether packets may go over ``x`` and on: False also where nobody knows yet how they would go on."""
        s, t = self.src[x], self.dst[x]
        if t in self.columns[c].ends:
            return True
        after = hops.get(t)
        if not after or any(self.dst[y] == s for y in after):
            return False
        return graph.add_all((x, y) for y in after)

    def _tree(self, root: int) -> set[int]:
        """Both directions of a spanning tree's cables, nearest to ``root`` first; of several roots where it has parts."""
        back: dict[tuple[int, int], int] = {}
        for y in (y for out in self.out for y in out):
            back.setdefault((self.src[y], self.dst[y]), y)
        tree, met = set[int](), set[int]()
        for start in (root, *range(self.grid.fabric.n_switches)):
            waiting = deque([start] if start not in met else [])
            met.add(start)
            while waiting:
                for x in self.out[waiting.popleft()]:
                    if self.dst[x] not in met:
                        met.add(self.dst[x])
                        waiting.append(self.dst[x])
                        tree |= {x, back[self.dst[x], self.src[x]]}
        return tree

    def _along(self, c: int, tree: set[int]) -> NextHops | None:
        """The column along the tree alone."""
        column, towards = self.columns[c], dict(self._towards(c, tree))
        hops = {s: [towards[s]] for s in column.near_first if s in towards}
        moved = (s for s in hops if hops[s] != column.today[s])
        return hops if len(hops) == len(column.near_first) and all(self.movable[s][c] for s in moved) else None

    def _towards(self, c: int, tree: set[int]) -> Iterator[tuple[int, int]]:
        into = defaultdict[int, list[int]](list)
        for x in sorted(tree):
            into[self.dst[x]].append(x)
        met = set(self.columns[c].ends)
        waiting = deque(sorted(met))
        while waiting:
            for x in into[waiting.popleft()]:
                if self.src[x] not in met:
                    met.add(self.src[x])
                    waiting.append(self.src[x])
                    yield self.src[x], x
