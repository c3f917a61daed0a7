import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauseproof.fabric.build import Cables, Nodes, make_fabric
from pauseproof.fabric.model import Fabric, NodeKind
from pauseproof.fabric.places import BadInput, Place

Statement = tuple[int, int, int, int]


def nodes_of(*rows: tuple[str, int, NodeKind, int]) -> Nodes:
    names, guids, kinds, ports = zip(*rows, strict=True)
    place = np.array([(0, i + 1) for i in range(len(rows))], np.int32)
    return Nodes(names, np.array(guids, np.uint64), np.array(kinds, np.uint8), np.array(ports, np.int32), place)


def cables_of(*rows: Statement, **more: np.ndarray[tuple[int], np.dtype[np.float32]]) -> Cables:
    a, ap, b, bp = np.array(rows, np.int32).reshape(-1, 4).T
    place = np.array([(1, i + 1) for i in range(len(rows))], np.int32).reshape(-1, 2)
    return Cables(a, ap, b, bp, place, **more)


def fabric_of(nodes: Nodes, cables: Cables) -> Fabric:
    return make_fabric("f", "infiniband", nodes, cables, ("nodes", "cables"))


def problems_of(nodes: Nodes, *rows: Statement) -> list[str]:
    with pytest.raises(BadInput) as caught:
        fabric_of(nodes, cables_of(*rows))
    return [str(problem) for problem in caught.value.problems]


SW, HOST = NodeKind.SWITCH, NodeKind.HOST
PAIR = nodes_of(("h", 1, HOST, 1), ("t", 9, SW, 4), ("s", 5, SW, 4))


def ends(fabric: Fabric) -> list[tuple[str, int, str, int]]:
    return [(fabric.node_name[x.src], x.src_port, fabric.node_name[x.dst], x.dst_port) for x in fabric.links()]


def test_switches_come_first_and_links_by_where_they_end() -> None:
    fabric = fabric_of(PAIR, cables_of((0, 1, 2, 3), (1, 1, 2, 2)))
    assert list(fabric.node_name) == ["s", "t", "h"]
    assert ends(fabric) == [("t", 1, "s", 2), ("h", 1, "s", 3), ("s", 2, "t", 1), ("s", 3, "h", 1)]
    assert fabric.place_of_link(1) == fabric.place_of_link(3) == Place("cables", 1)


def test_without_guids_names_order_the_nodes() -> None:
    nodes = nodes_of(("z", 0, SW, 2), ("b", 0, HOST, 1), ("a", 0, SW, 2), ("a host", 0, HOST, 1))
    assert list(fabric_of(nodes, cables_of((0, 1, 2, 1))).node_name) == ["a", "z", "a host", "b"]


def test_a_cable_stated_from_both_ends_is_one_and_keeps_what_either_knows() -> None:
    speed = np.array([np.nan, 100], np.float32)
    fabric = fabric_of(PAIR, cables_of((1, 1, 2, 2), (2, 2, 1, 1), speed=speed, length=speed))
    assert fabric.n_links == 2
    assert fabric.speed is not None and fabric.speed.tolist() == [100, 100]
    assert fabric.length is not None and fabric.length.tolist() == [100, 100]
    assert fabric.place_of_link(0) == Place("cables", 1)


def test_a_loop_back_between_two_ports_is_a_cable() -> None:
    fabric = fabric_of(PAIR, cables_of((1, 1, 1, 2)))
    assert ends(fabric) == [("t", 2, "t", 1), ("t", 1, "t", 2)]
    assert fabric.reverse.tolist() == [1, 0]


def test_no_cables_and_no_nodes() -> None:
    assert fabric_of(PAIR, cables_of()).n_links == 0
    empty = np.empty(0, np.int32)
    nothing = Nodes([], empty.astype(np.uint64), empty.astype(np.uint8), empty)
    assert make_fabric("f", "roce", nothing, Cables(empty, empty, empty, empty)).n_nodes == 0


def test_port_names_move_with_their_nodes() -> None:
    nodes = Nodes(PAIR.name, PAIR.guid, PAIR.kind, PAIR.ports, None, {1: ["", "swp1", "swp2", "swp3", "swp4"]})
    fabric = fabric_of(nodes, cables_of((1, 1, 2, 2)))
    assert fabric.port_name(1, 2) == "swp2" and fabric.port_name(0, 2) == "2"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((1, 5, 2, 1), "cables:1: port 5 of 't' (0x0000000000000009) cannot be cabled: its ports are 1 to 4"),
        ((1, 0, 2, 1), "cables:1: port 0 of 't' (0x0000000000000009) cannot be cabled: its ports are 1 to 4"),
        ((1, 1, 3, 1), "cables:1: the cable leads to a node that is declared nowhere"),
        ((-1, 1, 2, 1), "cables:1: the cable leads to a node that is declared nowhere"),
        ((1, 1, 1, 1), "cables:1: port 1 of 't' (0x0000000000000009) is cabled to itself"),
    ],
)
def test_an_end_that_cannot_be(row: Statement, said: str) -> None:
    assert problems_of(PAIR, row) == [said]


def test_a_port_cabled_twice_names_both_places() -> None:
    assert problems_of(PAIR, (1, 1, 2, 1), (2, 2, 1, 1)) == [
        "cables:2: port 1 of 't' (0x0000000000000009) is cabled twice: here to port 2 of 's' (0x0000000000000005),"
        " at cables:1 to port 1 of 's' (0x0000000000000005); a port has one cable"
    ]


def test_two_nodes_of_one_identity() -> None:
    twins = nodes_of(("a", 7, SW, 2), ("b", 7, HOST, 1), ("c", 0, SW, 2), ("c", 0, HOST, 1))
    assert [said.split(":")[1] for said in problems_of(twins, (0, 1, 1, 1))] == ["2", "4"]


@pytest.mark.parametrize("ports", [-1, 1 << 20])
def test_a_radix_that_no_device_has(ports: int) -> None:
    assert "0 to 65535 are possible" in problems_of(nodes_of(("a", 7, SW, ports)), (0, 1, 0, 2))[0]


def test_many_problems_are_counted_not_listed() -> None:
    said = problems_of(PAIR, *((1, 9, 2, 9) for _ in range(30)))
    assert len(said) == 21 and said[-1].endswith("and 40 more problems like these")


@given(st.lists(st.tuples(*[st.integers(0, 5), st.integers(1, 4)] * 2), max_size=12))
def test_links_are_what_a_naive_set_of_cables_says(rows: list[Statement]) -> None:
    nodes = nodes_of(*((f"n{i}", (i * 5) % 7 + 1, SW if i % 2 else HOST, 4) for i in range(6)))
    cables = {frozenset({(a, ap), (b, bp)}) for a, ap, b, bp in rows}
    used = [end for cable in cables for end in cable]
    legal = len(used) == len(set(used)) and all(len(cable) == 2 for cable in cables)
    try:
        fabric = fabric_of(nodes, cables_of(*rows))
    except BadInput:
        assert not legal
        return
    assert legal
    both_ways = {(*x, *y) for cable in cables for x in cable for y in cable if x != y}
    assert set(ends(fabric)) == {(f"n{a}", ap, f"n{b}", bp) for a, ap, b, bp in both_ways}
    assert fabric.n_links == len(both_ways)
    keys = list(zip(fabric.link_dst.tolist(), fabric.link_dst_port.tolist(), strict=True))
    assert keys == sorted(keys)
    order = list(zip((fabric.node_kind != SW).tolist(), fabric.node_guid.tolist(), strict=True))
    assert order == sorted(order)


def test_a_large_fabric_is_quick() -> None:
    hosts = np.arange(65536, dtype=np.int32)
    leaf, spine = hosts // 32, 2048 + hosts % 2048
    kind = np.repeat(np.array([SW, HOST], np.uint8), [4096, 65536])
    names = [f"n{i}" for i in range(len(kind))]
    ports = np.where(kind == SW, 64, 1).astype(np.int32)
    nodes = Nodes(names, np.arange(1, len(kind) + 1, dtype=np.uint64), kind, ports)
    down = [leaf, 1 + hosts % 32, 4096 + hosts, hosts * 0 + 1]
    up = [leaf, 33 + hosts % 32, spine, 1 + hosts // 2048]
    a, a_port, b, b_port = (np.concatenate(pair) for pair in zip(down, up, strict=True))
    cables = Cables(a, a_port, b, b_port)
    begin = time.perf_counter()
    fabric = make_fabric("large", "infiniband", nodes, cables)
    assert fabric.n_links == 262144 and fabric.n_hosts == 65536
    assert time.perf_counter() - begin < 4  # 0.05 s where nothing else runs
