"""In-network reduction: the tree of aggregation nodes, against sums that are carried up it one by one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.places import BadInput
from pauseproof.routing.network import Network
from placed_jobs import fabric, placed, sent


def sharp(per_leaf: list[int], *, spine: bool = False) -> Network:
    """Leaves with as many hosts as said and an aggregation node ``zanL`` each; a spine, with one or without."""
    leaves = range(len(per_leaf))
    names = [f"h{leaf}-{i}" for leaf in leaves for i in range(per_leaf[leaf])] + [f"zan{leaf}" for leaf in leaves]
    cables = [f"  - [leaf{leaf}, h{leaf}-{i}]" for leaf in leaves for i in range(per_leaf[leaf])]
    cables += [f"  - [leaf{leaf}, zan{leaf}]\n  - [leaf{leaf}, spine]" for leaf in leaves]
    if spine:
        names.append("zspine")
        cables.append("  - [spine, zspine]")
    switches = ", ".join([*(f"leaf{leaf}" for leaf in leaves), "spine"])
    text = f"kind: infiniband\nswitches: [{switches}]\nhosts: [{', '.join(names)}]\ncables:\n" + "\n".join(cables)
    network = fabric(text + "\nrouting: ecmp\n")
    kinds = np.array([NodeKind.AGGREGATION if name.startswith("z") else k for name, k in named(network)], np.uint8)
    return replace(network, fabric=replace(network.fabric, node_kind=kinds))


def named(network: Network) -> list[tuple[str, int]]:
    return list(zip(network.fabric.node_name, network.fabric.node_kind.tolist(), strict=True))


JOB = "nodes: h*\n{}collectives: [{{kind: all-reduce, algorithm: in-network, bytes: 8}}]"


def edges(words: str, network: Network) -> set[tuple[str, str]]:
    found = sent(placed(JOB.format(words), network))
    assert set(found.values()) == {8.0}
    return {(a.partition(":")[0], b.partition(":")[0]) for _, a, b in found}


def both_ways(*pairs: str) -> set[tuple[str, str]]:
    split = [tuple(pair.split()) for pair in pairs]
    return {(a, b) for a, b in split} | {(b, a) for a, b in split}


def test_one_node_on_the_spine_is_above_the_leaves_where_nothing_is_said() -> None:
    network = sharp([2, 1], spine=True)
    up = ("h0-0 zan0", "h0-1 zan0", "h1-0 zan1", "zan0 zspine", "zan1 zspine")
    assert edges("", network) == both_ways(*up)
    (said,) = placed(JOB.format(""), network).assumptions
    assert said.startswith("the tree of aggregation nodes is not said: zspine is taken to be above all others")


def test_a_tree_that_is_said_goes_up_no_further_than_it_must() -> None:
    network = sharp([1, 1, 0], spine=True)
    words = "aggregation: {zan0: zan1, zan1: zan2, zan2: zspine}\n"
    assert edges(words, network) == both_ways("h0-0 zan0", "h1-0 zan1", "zan0 zan1")
    assert placed(JOB.format(words), network).assumptions == ()


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=6), st.data())
def test_sums_carried_up_one_by_one(per_leaf: list[int], data: st.DataObject) -> None:
    n = len(per_leaf)
    above = {leaf: data.draw(st.integers(0, leaf - 1)) for leaf in range(1, n)}
    words = f"aggregation: {{{', '.join(f'zan{a}: zan{b}' for a, b in above.items())}}}\n"
    hosts = {f"h{leaf}-{i}" for leaf in range(n) for i in range(per_leaf[leaf])}
    if len(hosts) < 2:
        return
    used: set[tuple[str, str]] = set()
    sums: dict[int, set[str]] = {leaf: set() for leaf in range(n)}
    for host in hosts:
        leaf = int(host[1])
        sums[leaf].add(host)
        used |= {(host, f"zan{leaf}"), (f"zan{leaf}", host)}
    for leaf in range(n - 1, 0, -1):  # those further down first
        if sums[leaf] and sums[leaf] != hosts:
            sums[above[leaf]] |= sums[leaf]
            used |= {(f"zan{leaf}", f"zan{above[leaf]}"), (f"zan{above[leaf]}", f"zan{leaf}")}
    assert hosts in sums.values()
    assert edges(words, sharp(per_leaf)) == used


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("aggregation: {zan0: zan9}\n", "job.yaml:2:21: 'zan9' is no aggregation node; did you mean 'zan"),
        ("aggregation: {zan0: zan1, zan1: zan0}\n", "an aggregation node is above itself; expected a tree"),
        ("aggregation: {zan2: zan1}\n", "no aggregation node is above all hosts of a group; expected a tree with one root"),
    ],
)
def test_trees_that_cannot_be(words: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        placed(JOB.format(words), sharp([1, 1, 1]))
    assert problem in str(caught.value)


def test_a_leaf_without_an_aggregation_node_is_refused() -> None:
    network = fabric("kind: infiniband\nleaf-spine: {leaves: 2, spines: 1, hosts: 1}\nrouting: ecmp\n")
    with pytest.raises(BadInput, match="leaf0, to which leaf0-h0 is cabled, has no aggregation node"):
        placed(JOB.format("").replace("h*", "'leaf*'"), network)


@pytest.mark.parametrize("words", ["hosts: {a: h0-0, b: zan0}", "nodes: [h0-0, zan0]"])
def test_an_aggregation_node_runs_no_job(words: str) -> None:
    with pytest.raises(BadInput, match="'zan0' is no host that runs a job: it is an aggregation node"):
        placed(f"{words}\ncollectives: [{{kind: all-gather, bytes: 8}}]", sharp([1, 1]))
