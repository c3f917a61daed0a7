import math

import numpy as np
import pytest

from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.places import BadInput
from pauseproof.readers.cabling_rows import CablingRows, NodeRow, check_both_ends, link_speed, node_kind, node_name
from pauseproof.readers.problems import Problems

LEAF = NodeRow(NodeKind.SWITCH, 4, "leaf", 1)


@pytest.mark.parametrize(
    ("width", "lane", "speed"),
    [("4x", "SDR", 10), ("4X", "fdr10", 40), ("12x", "QDR", 120), ("2x", "HDR", 100), ("4x", "XDR", 800), ("1x", "2.5", 2.5)],
)
def test_a_link_is_its_lanes_together(width: str, lane: str, speed: float) -> None:
    assert link_speed(width, lane) == speed


@pytest.mark.parametrize(("width", "lane"), [("??", "EDR"), ("4x", "??"), ("4x", "???"), ("", "")])
def test_words_that_are_not_known(width: str, lane: str) -> None:
    assert math.isnan(link_speed(width, lane))


@pytest.mark.parametrize(
    ("word", "name", "kind"),
    [
        ("SW-SM", "Aggregation Node", NodeKind.SWITCH),
        ("CA", "n1 HCA-1", NodeKind.HOST),
        ("Ca", "Mellanox Technologies Aggregation Node", NodeKind.AGGREGATION),
        ("CA", "Quantum aggregation node 2", NodeKind.AGGREGATION),
        ("Rt", "r", NodeKind.ROUTER),
    ],
)
def test_kinds(word: str, name: str, kind: NodeKind) -> None:
    assert node_kind(word, name) == kind


def test_names_lose_what_trails_and_keep_what_leads() -> None:
    assert node_name(b"  a # b \t\0 ") == "  a # b"
    assert node_name("\N{SNOWMAN}".encode() + b"\xfe") == "\N{SNOWMAN}\\xfe"


def test_a_node_may_be_said_again_but_not_otherwise() -> None:
    rows = CablingRows(Problems("f"))
    rows.node(5, LEAF)
    rows.node(5, LEAF._replace(line=9))
    assert rows.records("x").node_line.tolist() == [1]
    rows.node(5, LEAF._replace(ports=8, line=9))
    with pytest.raises(BadInput, match="f:9: the node 0x0000000000000005 is stated differently in line 1, as a switch 'leaf'"):
        rows.records("x")


@pytest.mark.parametrize(
    ("rows", "lost"),
    [
        ([], []),
        ([(1, 1, 2, 2), (2, 2, 1, 1)], []),
        ([(1, 1, 2, 2)], [0]),
        ([(1, 1, 2, 2), (1, 1, 2, 2)], [0]),
        ([(1, 1, 1, 2), (1, 2, 1, 1)], []),
        ([(1, 1, 1, 2), (2, 1, 1, 3), (1, 2, 1, 1)], [1]),
        ([(2, 1, 1, 1), (1, 1, 2, 2)], [0, 1]),
    ],
)
def test_cables_that_lack_one_end(rows: list[tuple[int, int, int, int]], lost: list[int]) -> None:
    a, a_port, b, b_port = np.array(rows, np.int32).reshape(-1, 4).T
    problems = Problems("f")
    line = np.arange(len(rows), dtype=np.int32)
    check_both_ends(problems, a.astype(np.uint64), a_port, b.astype(np.uint64), b_port, line)
    try:
        problems.raise_any()
        found = []
    except BadInput as error:
        found = [problem.place.line for problem in error.problems]
    assert found == lost
