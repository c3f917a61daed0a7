"""What is told of a job: the loads themselves, the median sample, or a lower bound; and why links of a sample are hot."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import pauseproof
from pauseproof.loads import chance
from pauseproof.loads.chance import sample
from pauseproof.loads.flows import Flows
from pauseproof.loads.measured import EVEN, EXACT, LOWER_BOUND, MEDIAN, Measured, measured

Pair = tuple[int, int]
Amounts = dict[Pair, float]
TREE, PINNED = "topologies/fat-tree-k4.yaml", "topologies/opensm/fattree4_minhop"


@dataclass(frozen=True)
class Job:
    """Flows of two phases, in the place of a job that was read."""

    flows: Flows
    phases: tuple[str, ...] = ("first", "second")

    def traffic(self) -> list[Flows]:
        return [self.flows]


def shifts() -> Job:
    """All send half way round, then quarter way round."""
    dst = [(h + by) % 16 for by in (8, 4) for h in range(16)]
    return Job(Flows.of([*range(16)] * 2, dst, [2.0] * 16 + [3.0] * 16, phase=[0] * 16 + [1] * 16))


def by_hand(found: Measured, job: Job) -> tuple[Amounts, dict[Pair, Amounts]]:
    """The bytes by (phase, link) of the median sample, and those of each pair of hosts, from the path of every flow."""
    assert found.chance is not None
    ((flows, walked),) = sample(found.mean.hashing, job.traffic(), found.chance.seed, found.chance.number)
    fabric = found.mean.fabric
    load: Amounts = defaultdict(float)
    pairs: dict[Pair, Amounts] = defaultdict(lambda: defaultdict(float))
    for f in range(len(flows)):
        path = walked.link[walked.flow == f].tolist()
        assert path[0] == fabric.host(int(flows.src[f])).up and path[-1] == fabric.host(int(flows.dst[f])).down
        assert all(fabric.link(a).dst == fabric.link(b).src for a, b in pairwise(path))
        for link in path:
            key = int(flows.phase[f]), link
            load[key] += float(flows.bytes[f])
            pairs[key][int(flows.src[f]), int(flows.dst[f])] += float(flows.bytes[f])
    return load, pairs


def test_the_median_sample_is_a_run_of_whole_flows() -> None:
    job = shifts()
    found = measured(pauseproof.load(TREE), job)
    load, pairs = by_hand(found, job)
    run, drawn = found.run, found.chance
    assert drawn is not None and found.kind == MEDIAN
    assert {at: run.load.bytes[at] for at in np.ndindex(run.load.bytes.shape) if run.load.bytes[at]} == dict(load)
    times = [max(bytes for (phase, _), bytes in load.items() if phase == p) for p in (0, 1)]
    assert run.times.time.tolist() == times
    assert run.times.slowdown == sum(times) / 5.0 == sorted(drawn.slowdown.tolist())[32] == drawn.quantile(0.5)
    assert (drawn.phases[1] >= 1.5).all() and drawn.phases.shape == (3, 2)
    for phase, why in found.hot:
        assert why.bytes == load[phase, why.link] == times[phase] and why.siblings[0] == why.bytes
        on = pairs[phase, why.link]
        assert {(one.src, one.dst): one.bytes for one in why.heaviest}.items() <= on.items()
        assert (why.senders, why.receivers) == (len({a for a, _ in on}), len({b for _, b in on}))
        assert all(why.link in [decision.link for decision in one.decisions] for one in why.heaviest)


def test_mean_loads_are_told_of_nothing_that_is_drawn() -> None:
    found = measured(pauseproof.load(TREE), shifts())
    assert found.chance is not None
    assert found.mean.times.slowdown == pytest.approx(1.0) and found.run.times.slowdown >= 1.5 > 1.0
    assert found.run.times.slowdown == measured(pauseproof.load(TREE), shifts()).run.times.slowdown


def test_loads_that_are_known_are_told_as_they_are() -> None:
    found = measured(pauseproof.load(PINNED), shifts())
    assert found.kind == EXACT and found.run is found.mean and found.chance is None
    adaptive = pauseproof.load("topologies/mesh4x4-adaptive-committed.yaml")
    assert measured(adaptive, Job(Flows.of([0], [5], 1.0))).kind == EVEN


def test_too_many_flows_leave_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "WALKS", 32 * chance.FEWEST - 1)
    found = measured(pauseproof.load(TREE), shifts())
    assert found.kind == LOWER_BOUND and found.run is found.mean
