from dataclasses import replace

import pytest

from pauseproof.drawings.picture import PictureHop, PictureLine, PictureNode, loop_picture
from pauseproof.findings.report import Severity
from sample_fabrics import cabled, clos, ring
from sample_loops import loop_along
from sample_reports import finding, loop_finding


def test_a_ring_and_its_hosts() -> None:
    picture = loop_picture(loop_finding(5), ring(5))
    assert picture.title == "PP101 cyclic-buffer-dependency: 5 buffers of sample"
    assert picture.lane_word == "VL"
    assert [node.name for node in picture.nodes[: picture.loop_nodes]] == ["S0", "S1", "S2", "S3", "S4"]
    assert picture.nodes[5:] == (PictureNode("2 hosts", "hosts", 0, 2),) * 5
    assert picture.hops[4] == PictureHop(4, 0, "1", "2", "0")
    assert picture.context == tuple(PictureLine(i, 5 + i, 2) for i in range(5))


def test_a_clos_keeps_its_tiers_and_folds_what_is_alike() -> None:
    fabric = clos(4, 2)
    picture = loop_picture(loop_along(fabric, [1, 5, 3, 4]), fabric)
    assert picture.loop_nodes == 4
    assert [(node.name, node.tier) for node in picture.nodes] == [
        ("leaf2", 1),
        ("spine2", 2),
        ("leaf4", 1),
        ("spine1", 2),
        ("3 hosts", 0),
        ("2 switches", 1),
        ("3 hosts", 0),
    ]
    assert PictureLine(1, 5, 2) in picture.context and PictureLine(3, 5, 2) in picture.context


def test_a_single_neighbour_keeps_its_name() -> None:
    fabric = ring(3, hosts=1)
    assert [node.name for node in loop_picture(loop_along(fabric, [0, 1, 2]), fabric).nodes[3:]] == ["H0x0", "H1x0", "H2x0"]


def test_a_cable_across_the_loop_is_context_and_the_loops_own_are_not() -> None:
    names = ["a", "b", "c", "d", "h"]
    square = [(0, 1, 1, 2), (1, 1, 2, 2), (2, 1, 3, 2), (3, 1, 0, 2), (0, 4, 4, 1)]
    fabric = cabled(names, 4, [*square, (0, 3, 2, 3)])
    assert PictureLine(0, 2, 1) in loop_picture(loop_along(fabric, [0, 1, 2, 3]), fabric).context
    plain = cabled(names, 4, square)
    assert loop_picture(loop_along(plain, [0, 1, 2, 3]), plain).context == (PictureLine(0, 4, 1),)


def test_a_parallel_cable_is_context() -> None:
    fabric = cabled(["a", "b", "h"], 2, [(0, 1, 1, 1), (0, 2, 1, 2), (0, 3, 2, 1)])
    picture = loop_picture(loop_along(fabric, [0, 1]), fabric)
    assert PictureLine(0, 1, 1) in picture.context


def test_a_switch_that_the_loop_visits_twice_is_one_node() -> None:
    fabric = ring(3)
    finding = loop_along(fabric, [0, 1, 0, 2])
    picture = loop_picture(finding, fabric)
    assert picture.loop_nodes == 3 and len(picture.hops) == 4


def test_a_device_that_the_fabric_does_not_have_is_drawn_all_the_same() -> None:
    loop = loop_finding(5)
    stranger = replace(loop.loop[0], device="gone", device_id="0x1")
    picture = loop_picture(replace(loop, loop=(stranger, *loop.loop[1:])), ring(5))
    assert "gone" in [node.name for node in picture.nodes[: picture.loop_nodes]]


def test_a_finding_without_a_loop_is_refused() -> None:
    with pytest.raises(ValueError, match="no loop"):
        loop_picture(finding("PP203", "black-hole", Severity.WARNING), ring(5))
