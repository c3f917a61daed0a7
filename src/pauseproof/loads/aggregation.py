"""In-network reduction (SHARP; NCCL's CollNet): aggregation nodes in switches add up what comes from below, and hand it down.

Every host sends its share to the aggregation node (AN) on its own switch and gets the sum back; an AN sends one sum to the AN
above it, however many hosts are below. The tree of ANs is said by the job, or follows a stated rule: one AN on a switch of the
highest tier is above all others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.places import BadInput, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.fabric.tiers import switch_tiers
from pauseproof.loads.host_finder import HostFinder
from pauseproof.readers.job_lines import JobLines
from pauseproof.readers.suggest import expected_one_of


@dataclass(frozen=True)
class Aggregation:
    """``at`` gives a switch its AN, ``above`` an AN the next one (missing: none); both are hosts of ``fabric``."""

    fabric: Fabric
    at: Mapping[int, int]
    above: Mapping[int, int]
    assumption: str = ""

    def edges(self, hosts: Sequence[int]) -> list[tuple[int, int]]:
        """Who sends its sum to whom, from the hosts up to the first AN that is above all of them. Raises LookupError."""
        first = [self._own(h) for h in hosts]
        chains = [self._chain(node) for node in dict.fromkeys(first)]
        common = set.intersection(*map(set, chains)) if chains else set()
        if chains and not common:
            raise LookupError("no aggregation node is above all hosts of a group; expected a tree with one root")
        between = {(a, b) for chain in chains for a, b in pairwise(chain) if a not in common}
        return [*zip(hosts, first, strict=True), *sorted(between)]

    def _own(self, h: int) -> int:
        switch = int(self.fabric.link_src[self.fabric.host_down[h]])
        if switch not in self.at:
            name, where = self.fabric.node_name[self.fabric.host_node[h]], self.fabric.node_name[switch]
            raise LookupError(f"{where}, to which {name} is cabled, has no aggregation node")
        return self.at[switch]

    def _chain(self, node: int) -> list[int]:
        chain = [node]
        while chain[-1] in self.above:
            chain.append(self.above[chain[-1]])
        return chain


def aggregation_of(job: JobLines, fabric: Fabric) -> Aggregation:
    """The ANs of a fabric and their tree. Raises BadInput where the description names others, or a tree that has a loop."""
    nodes = np.flatnonzero(fabric.node_kind[fabric.host_node] == NodeKind.AGGREGATION).tolist()
    at: dict[int, int] = {}
    for h in nodes:
        at.setdefault(int(fabric.link_src[fabric.host_down[h]]), h)
    if not job.aggregation:
        return _under_one(fabric, at)
    finder = HostFinder(fabric)
    names = {fabric.node_name[fabric.host_node[h]]: h for h in nodes}
    above = {}
    for below, word in job.aggregation.items():
        for text in (below, word.text):
            if text not in names:
                finder.problems.append(Problem(word.place, f"{text!r} is no aggregation node; {expected_one_of(text, names)}"))
        above[names.get(below, -1)] = names.get(word.text, -1)
    refuse_if(finder.problems)
    _refuse_loop(above, job)
    return Aggregation(fabric, at, above)


def _under_one(fabric: Fabric, at: Mapping[int, int]) -> Aggregation:
    if not at:
        return Aggregation(fabric, at, {})
    tiers = switch_tiers(fabric)
    root = at[max(at, key=lambda s: (tiers[s], -s))]
    name = fabric.node_name[fabric.host_node[root]]
    said = f"the tree of aggregation nodes is not said: {name} is taken to be above all others (aggregation: names another)"
    return Aggregation(fabric, at, {h: root for h in at.values() if h != root}, said if len(at) > 1 else "")


def _refuse_loop(above: Mapping[int, int], job: JobLines) -> None:
    for node in above:
        seen, here = {node}, node
        while here in above:
            here = above[here]
            if here in seen:
                place = next(iter(job.aggregation.values())).place
                raise BadInput.at(place, "an aggregation node is above itself; expected a tree")
            seen.add(here)
