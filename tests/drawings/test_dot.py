import re

from pauseproof.drawings.dot import loop_dot
from pauseproof.drawings.palette import LOOP
from pauseproof.drawings.picture import loop_picture
from sample_fabrics import clos, ring
from sample_loops import loop_along
from sample_reports import loop_finding

CLOS = clos(4, 2)
CLOS_LOOP = loop_picture(loop_along(CLOS, [1, 5, 3, 4]), CLOS)


def red_arrows(source: str) -> list[tuple[str, str]]:
    """(from, to) in the direction of the arrow."""
    found = []
    for tail, head, attributes in re.findall(r"(n\d+) -> (n\d+) \[(.*)\];", source):
        if LOOP in attributes:
            found.append((head, tail) if "dir=back" in attributes else (tail, head))
    return found


def test_a_loop_of_one_tier_is_a_circle() -> None:
    dot = loop_dot(loop_picture(loop_finding(5), ring(5)))
    assert dot.engine == "neato"
    assert red_arrows(dot.source) == [(f"n{i}", f"n{(i + 1) % 5}") for i in range(5)]
    assert dot.source.count('label="port 1 → 2\\nVL 0"') == 5


def test_a_loop_over_tiers_has_ranks() -> None:
    dot = loop_dot(CLOS_LOOP)
    assert dot.engine == "dot"
    assert red_arrows(dot.source) == [("n0", "n1"), ("n1", "n2"), ("n2", "n3"), ("n3", "n0")]
    assert "{ rank=same; tier1; n0; n2; n5; }" in dot.source
    assert "{ rank=same; tier2; n1; n3; }" in dot.source


def test_edges_are_written_from_the_upper_tier() -> None:
    tier = {f"n{i}": node.tier for i, node in enumerate(CLOS_LOOP.nodes)}
    for tail, head in re.findall(r"(n\d+) -> (n\d+) ", loop_dot(CLOS_LOOP).source):
        assert tier[tail] >= tier[head]


def test_the_same_picture_gives_the_same_text() -> None:
    again = loop_picture(loop_along(clos(4, 2), [1, 5, 3, 4]), clos(4, 2))
    assert loop_dot(again) == loop_dot(CLOS_LOOP)


def test_context_is_grey_and_has_no_direction() -> None:
    source = loop_dot(CLOS_LOOP).source
    grey = [row for row in source.splitlines() if "->" in row and LOOP not in row and "invis" not in row]
    assert len(grey) == len(CLOS_LOOP.context) and all("dir=none" in row for row in grey)
