import io

import networkx as nx
import pytest

from pauseproof.readers.graphml import matches, read
from pauseproof.readers.roce_records import CableRecords
from small_files import GRAPHML
from texts import cuts_that_pass, refusal, source_of

ZOO = """\
<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="d32"/>
  <key attr.name="role" attr.type="string" for="node" id="d33"/>
  <key attr.name="speed" attr.type="string" for="edge" id="d34"/>
  <graph edgedefault="undirected">
    <node id="0"><data key="d32">leaf &amp; 1</data><data key="d33">leaf</data></node>
    <node id="1"><data key="d32">spine</data></node>
    <edge source="0" target="1"><data key="d34">100</data></edge>
    <edge source="1" target="0" sourceport="p1" targetport="p2"/>
    <edge source="1" target="0"/>
  </graph>
</graphml>
"""


def ends(found: CableRecords) -> list[tuple[str, str, str, str]]:
    return list(zip(found.a_device, found.a_port, found.b_device, found.b_port, strict=True))


def test_labels_roles_speeds_and_ports() -> None:
    found = read(source_of(ZOO))
    assert ends(found) == [
        ("leaf & 1", "spine", "spine", "leaf & 1"),
        ("spine", "p1", "leaf & 1", "p2"),
        ("spine", "leaf & 1#2", "leaf & 1", "spine#2"),
    ]
    assert found.line.tolist() == [9, 10, 11] and found.roles == {"leaf & 1": "switch"} and found.speed[0] == 100


@pytest.mark.parametrize("label", ["", "spine"])
def test_without_a_label_for_each_the_ids_count(label: str) -> None:
    found = read(source_of(ZOO.replace("leaf &amp; 1", label)))
    assert ends(found)[0] == ("0", "1", "1", "0") and found.roles == {"0": "switch"}


def test_what_networkx_writes() -> None:
    graph = nx.MultiDiGraph([("a", "b"), ("b", "a"), ("a", "b")])
    file = io.BytesIO()
    nx.write_graphml(graph, file)
    assert matches(file.getvalue())
    cables = {frozenset((end[:2], end[2:])) for end in ends(read(source_of(file.getvalue())))}
    assert cables == {frozenset({("a", "b"), ("b", "a")}), frozenset({("a", "b#2"), ("b", "a#2")})}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("<graphml", "<!DOCTYPE g [<!ENTITY a 'b'>]><graphml", "declares a document type"),
        ('<node id="1">', '<node id="0">', "8: node '0' is there twice"),
        ('<node id="1">', "<node>", "8: a node without an id"),
        ('target="1"', 'target="9"', "9: there is no node '9'; "),
        ('sourceport="p1" ', "", "10: an edge with a port at one end only"),
        ('<edge source="1" target="0"/>', "<hyperedge/>", "11: a hyperedge is no cable"),
        ('<edge source="1" target="0"/>', "<graph/>", "2: 2 graphs; expected one <graph> in a <graphml>"),
        (">100<", ">fast<", "9: speed 'fast' is not understood"),
    ],
)
def test_what_is_refused(before: str, after: str, said: str) -> None:
    assert before in ZOO
    assert any(said in problem for problem in refusal(read, ZOO.replace(before, after, 1)))


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, GRAPHML.rstrip()) == []
