from dataclasses import replace

from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.tiers import switch_tiers
from sample_fabrics import cabled, clos, ring


def test_a_ring_has_one_tier() -> None:
    assert switch_tiers(ring(5)).tolist() == [1] * 5


def test_leaves_are_below_spines() -> None:
    assert switch_tiers(clos(4, 2)).tolist() == [1, 1, 1, 1, 2, 2]


def test_a_chain_counts_up_from_its_host() -> None:
    chain = cabled(["a", "b", "c", "d", "host"], 4, [(0, 1, 1, 1), (1, 2, 2, 1), (2, 2, 3, 1), (0, 2, 4, 1)])
    assert switch_tiers(chain).tolist() == [1, 2, 3, 4]


def test_an_aggregation_node_makes_no_leaf() -> None:
    fabric = cabled(["leaf", "spine", "host", "sharp"], 2, [(0, 1, 1, 1), (0, 2, 2, 1), (1, 2, 3, 1)])
    kinds = fabric.node_kind.copy()
    assert switch_tiers(fabric).tolist() == [1, 1]
    kinds[3] = NodeKind.AGGREGATION
    assert switch_tiers(replace(fabric, node_kind=kinds)).tolist() == [1, 2]


def test_switches_that_no_host_reaches_have_none() -> None:
    lonely = cabled(["a", "b", "c", "host"], 3, [(0, 1, 3, 1), (1, 1, 2, 1)])
    assert switch_tiers(lonely).tolist() == [1, 0, 0]
