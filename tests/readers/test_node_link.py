import json
from typing import Any

import networkx as nx
import pytest

from pauseproof.readers.node_link import matches, read
from pauseproof.readers.roce_records import CableRecords
from texts import cuts_that_pass, refusal, source_of


def written(graph: "nx.Graph", edges: str = "edges", indent: int | None = None) -> str:
    return json.dumps(nx.node_link_data(graph, edges=edges), indent=indent)


def ends(found: CableRecords) -> list[tuple[str, str, str, str]]:
    return list(zip(found.a_device, found.a_port, found.b_device, found.b_port, strict=True))


@pytest.mark.parametrize("key", ["edges", "links"])
def test_ports_speeds_and_roles_where_they_are_given(key: str) -> None:
    graph = nx.Graph()
    graph.add_node("leaf1", role="leaf")
    graph.add_node(7, kind="server")
    graph.add_edge("leaf1", 7, source_port="swp1", target_port=0, speed=100, length="3m")
    text = written(graph, key, indent=1)
    assert matches(text.encode())
    found = read(source_of(text))
    assert ends(found) == [("leaf1", "swp1", "7", "0")] and found.roles == {"leaf1": "switch", "7": "host"}
    assert found.speed.tolist() == [100] and found.length.tolist() == [3]
    assert '"source"' in "".join(text.split("\n")[found.line[0] : found.line[0] + 9])


def test_ports_are_called_after_the_neighbour() -> None:
    graph = nx.MultiGraph([("a", "b"), ("b", "a"), ("a", "c")])
    assert sorted(ends(read(source_of(written(graph))))) == [
        ("a", "b", "b", "a"),
        ("a", "b#2", "b", "a#2"),
        ("a", "c", "c", "a"),
    ]


def test_two_directed_edges_are_one_cable() -> None:
    graph = nx.DiGraph([("a", "b"), ("b", "a")])
    assert ends(read(source_of(written(graph)))) == [("a", "b", "b", "a"), ("b", "a", "a", "b")]


NODES = {"nodes": [{"id": "a"}, {"id": "b"}]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"nodes": [], "edges": 7}, '1: expected {"nodes": [...], "edges": [...]}'),
        ([], '1: expected {"nodes": [...], "edges": [...]}'),
        ({"nodes": [{"id": "a"}, {"id": "a"}], "edges": []}, "1: node 'a' is there twice"),
        ({"nodes": [{}, 7], "edges": []}, "1: a node without an id"),
        ({**NODES, "edges": [{"source": "a", "target": "bb"}]}, "1: there is no node 'bb'; "),
        ({**NODES, "edges": [{"source": "a"}]}, "1: there is no node ''; "),
        ({**NODES, "edges": [7]}, "1: there is no node ''; "),
        ({**NODES, "edges": [{"source": "a", "target": "b", "source_port": "1"}]}, "1: an edge with a port at one end only"),
        ({**NODES, "edges": [{"source": "a", "target": "a"}]}, "1: port a of 'a' is cabled to itself"),
        ({**NODES, "edges": [{"source": "a", "target": "b", "speed": "x"}]}, "1: speed 'x' is not understood"),
        ({**NODES, "edges": []}, "0: holds no cables; expected at least one"),
    ],
)
def test_what_is_refused(value: Any, said: str) -> None:
    assert any(problem.startswith(said) for problem in refusal(read, json.dumps(value)))


def test_every_cut_is_refused() -> None:
    assert cuts_that_pass(read, written(nx.path_graph(3))) == []


def test_is_this_format() -> None:
    assert matches(b'{"nodes": [{"id": 1}], "links": [') and not matches(b'{"edges": [{"node1": {}}]}') and not matches(b"[]")
