from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauseproof
from hashed_fabrics import TWO_ORDERS, every_header_followed, hashed_fabric
from pauseproof.deadlock.check import check
from pauseproof.deadlock.check_unroutable import Unroutable
from pauseproof.deadlock.claim import Names, Refused, claim_of
from pauseproof.deadlock.realize import Decided
from pauseproof.deadlock.realize_ways import Dependency
from pauseproof.findings.report import Verdict
from pauseproof.findings.verdict import Judged, certificate_of, judge_realized
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.network import Network

SECONDS = 60.0


def loaded(folder: Path, text: str) -> Network:
    (folder / "fabric.yaml").write_text(text)
    return pauseproof.load(folder / "fabric.yaml")


@pytest.mark.parametrize("text", TWO_ORDERS)
def test_two_orders_of_the_same_choices_need_one_reason(tmp_path: Path, text: str) -> None:
    network = loaded(tmp_path, text)
    judged = judge_realized(network, Question(), SECONDS)
    assert judged.verdict is Verdict.DEADLOCK_FREE and judged.realized and judged.realized.deleted
    assert check(certificate_of(judged), network) == "DEADLOCK_FREE"


def left_out(judged: Judged, deleted: dict[Dependency, Decided], network: Network) -> Iterator[tuple[Dependency, bool]]:
    """Each of the dependencies, and whether the checker lets it be left out for the reasons given."""
    assert judged.realized is not None
    forged = judged._replace(verdict=Verdict.DEADLOCK_FREE, realized=replace(judged.realized, deleted=deleted))
    asked = ask(network, Question())
    unroutable = Unroutable(network, asked, Names(asked.network))
    for e, because in claim_of(certificate_of(forged), asked.network).unroutable.items():
        try:
            unroutable.check(e, unroutable.reasons(because))
        except Refused as refused:
            assert "no reason" in str(refused)
            yield e, False
        else:
            yield e, True


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_what_realize_deletes_can_be_left_out(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Also where it is not enough for the fabric to be free."""
    network = loaded(tmp_path_factory.mktemp("free"), hashed_fabric(seed, ("hashed", "hashed", "hashed", "adaptive")))
    judged = judge_realized(network, Question(), SECONDS)
    if judged.realized and judged.realized.deleted:
        assert all(held for _, held in left_out(judged, judged.realized.deleted, network))
    if judged.verdict is Verdict.DEADLOCK_FREE:
        assert check(certificate_of(judged), network) == "DEADLOCK_FREE"


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6))
def test_exactly_what_no_source_port_carries_can_be_left_out(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Although every reason that was found for any dependency is given for each."""
    network = loaded(tmp_path_factory.mktemp("all"), hashed_fabric(seed))
    judged = judge_realized(network, Question(), SECONDS)
    if not judged.realized or not judged.realized.decided:
        return
    reasons = tuple(dict.fromkeys(r for one in judged.realized.decided.values() for r in one.refutations))
    everything = {e: Decided(False, refutations=reasons) for e in judged.realized.decided}
    carried = every_header_followed(network)
    for (b, b2), held in left_out(judged, everything, network):
        assert held is ((b[0], b2[0]) not in carried)
