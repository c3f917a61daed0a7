from dataclasses import replace
from pathlib import Path

import pauseproof
from pauseproof.fabric.places import Place, Problem, Remark
from pauseproof.reports.inventory import MOST_REMARKS, incomplete_lines, inventory_lines
from pauseproof.reports.styled import plain
from pauseproof.routing.network import Network

TOPOLOGIES = Path(__file__).resolve().parents[2] / "topologies"
RING = pauseproof.load(TOPOLOGIES / "ring5.yaml")


def text(network: Network) -> str:
    return plain(inventory_lines(network))


def test_a_topology_file_in_numbers() -> None:
    shown = text(RING)
    assert "\nFabric ring, roce\n  5 switches, 5 host ports, 10 cables\n  tier 0: 5 switches\n" in shown
    assert "labels 0; priorities 0" in shown
    assert "odd" not in shown


def test_remarks_are_sorted_cut_and_harmless() -> None:
    odd = [Remark("black-hole", f"\x1b[31m{i:03}", f"{i:03}", (Place("f", i),)) for i in range(MOST_REMARKS + 5)]
    shown = text(replace(RING, remarks=tuple(reversed(odd))))
    assert shown == text(replace(RING, remarks=tuple(odd)))
    assert "  PP203 black-hole: \\x1b[31m001 (f:1)\n" in shown and "\x1b" not in shown
    assert "  and 5 more; " in shown


def test_problems_are_cut_and_harmless() -> None:
    wrong = [Problem(Place("f", i + 1), "\x1b[31mno cabling") for i in range(MOST_REMARKS + 5)]
    shown = plain(incomplete_lines(RING.inputs, wrong))
    assert shown.count("no cabling") == MOST_REMARKS and shown.endswith("  and 5 more\n") and "\x1b" not in shown
