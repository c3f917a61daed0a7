"""What may be offered: nothing that leaves a stuck set, and nothing that cuts a pair off."""

from dataclasses import replace
from pathlib import Path

import pauseproof
from pauseproof.findings.report import Verdict
from pauseproof.findings.verdict import Judged, judge
from pauseproof.repair.alternative import Alternative, NotOffered
from pauseproof.repair.apply import Applied, applied
from pauseproof.repair.entries import Entries, with_entries
from pauseproof.routing.ask import Question
from pauseproof.routing.tables import ChoiceKind, ChoiceTable, Route

ROOT = Path(__file__).resolve().parents[2]
RING = ROOT / "topologies/opensm/ring5_minhop"


def before() -> Judged:
    return judge(pauseproof.load(RING), Question())


def changed(judged: Judged, entries: Entries) -> Alternative:
    network = judged.asked.network
    assert isinstance(network.routes, ChoiceTable)
    after = replace(network, routes=with_entries(network.routes, entries))
    return Alternative("test", len(entries), "entries", 0, (), after, judged.asked.traffic)


def towards(judged: Judged, switch: str, lid: str, port: int) -> tuple[tuple[int, int], Route]:
    fabric = judged.asked.network.fabric
    s = list(fabric.node_name).index(switch)
    d = list(judged.asked.network.destinations.names).index(lid)
    return (s, d), Route(ChoiceKind.HASHED, (int(fabric.out_link[s, port]),))


def test_four_rows_moved_make_the_ring_free() -> None:
    judged = before()
    rows = [("S2", "14", 2), ("S2", "15", 2), ("S4", "10", 1), ("S4", "11", 1)]
    answer = applied(judged, changed(judged, dict(towards(judged, *row) for row in rows)))
    assert isinstance(answer, Applied) and answer.checked
    assert answer.judged.verdict is Verdict.DEADLOCK_FREE
    assert len(answer.certificate["ranks"]) == 30


def test_three_of_them_do_not() -> None:
    judged = before()
    rows = [("S2", "14", 2), ("S2", "15", 2), ("S4", "10", 1)]
    answer = applied(judged, changed(judged, dict(towards(judged, *row) for row in rows)))
    assert isinstance(answer, NotOffered) and "the verdict is DEADLOCK_POSSIBLE" in answer.reason


def test_what_cuts_a_pair_off_is_not_offered() -> None:
    judged = before()
    network = judged.asked.network
    drops = {(s, d): Route(ChoiceKind.DROP, ()) for s in range(5) for d in range(len(network.destinations))}
    answer = applied(judged, changed(judged, drops))
    assert isinstance(answer, NotOffered) and "a pair is cut off: 0x" in answer.reason


def test_pairs_that_do_not_arrive_today_may_stay_so() -> None:
    """The same ring where S0 has no row for LID 14: what was unroutable is no reason to refuse."""
    judged = before()
    network = judged.asked.network
    assert isinstance(network.routes, ChoiceTable)
    (at, _) = towards(judged, "S3", "10", 1)
    broken = replace(network, routes=with_entries(network.routes, {at: Route(ChoiceKind.DROP, ())}))
    judged = judge(broken, Question())
    assert judged.analysis.outcomes.unroutable_pairs
    rows = [("S2", "14", 2), ("S2", "15", 2), ("S4", "10", 1), ("S4", "11", 1)]
    answer = applied(judged, changed(judged, dict(towards(judged, *row) for row in rows)))
    assert isinstance(answer, Applied)
