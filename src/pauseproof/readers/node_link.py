"""NetworkX's node-link JSON: ``nodes`` with an ``id``, and ``edges`` (older versions: ``links``) with source and target.

    {"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": "leaf1"}, ...],
     "edges": [{"source": "leaf1", "target": "spine1", "source_port": "swp1", "target_port": "swp1"}]}

Ports are ``source_port`` and ``target_port``, else they are called after the neighbour; ``role`` of a node says switch or
host; ``speed`` is Gb/s, ``length`` metres.

Source: networkx.readwrite.json_graph.node_link_data.
"""

from typing import Any

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.device_roles import role_of
from pauseproof.readers.drawn_graphs import Edge, PortsByNeighbour
from pauseproof.readers.json_lines import key_paths, parse
from pauseproof.readers.json_steps import list_in, object_in, text_in
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source

NAME = "node-link"
EDGES = ("edges", "links")
SOURCE_PORT = ("source_port", "src_port", "sport", "a_port")
TARGET_PORT = ("target_port", "dst_port", "dport", "b_port")
ROLES = ("role", "kind", "type")


def matches(head: bytes) -> bool:
    """Whether the file begins with what NetworkX writes about a graph.

    >>> matches(b'{"directed": false, "multigraph": true, "graph": {}')
    True
    """
    paths = key_paths(head)
    whole = ("nodes",) in paths and any((edges,) in paths for edges in EDGES)
    return (("directed",) in paths and ("multigraph",) in paths) or (whole and ("nodes", "[]", "id") in paths)


def read(source: Source) -> CableRecords:
    """The edges of the graph. Raises BadInput."""
    found, rows = parse(source), CableRows(source.path, NAME)
    graph = object_in(found.value)
    key = next((key for key in EDGES if isinstance(graph.get(key), list)), "")
    if not key or not isinstance(graph.get("nodes"), list):
        rows.problems.add(1, 'expected {"nodes": [...], "edges": [...]}')
    names: set[str] = set()
    for index, node in enumerate(list_in(graph.get("nodes"))):
        name = text_in(object_in(node).get("id"))
        if not name or name in names:
            said = f"node {name[:60]!r} is there twice" if name else "a node without an id"
            rows.problems.add(found.line_of("nodes", index), f"{said}; expected an id for each")
        names.add(name)
        if role := next((role for role in (role_of(_text(node, (one,))) for one in ROLES) if role), ""):
            rows.roles[name] = role
    ports = PortsByNeighbour(rows, names, directed=graph.get("directed") is True)
    for index, edge in enumerate(list_in(graph.get(key))):
        a, b, a_port, b_port, speed, length = (
            _text(edge, one) for one in (("source",), ("target",), SOURCE_PORT, TARGET_PORT, ("speed",), ("length",))
        )
        ports.add(Edge(found.line_of(key, index), a, b, a_port, b_port, speed, length))
    return rows.records()


def _text(value: Any, keys: tuple[str, ...]) -> str:
    return next((text for text in (text_in(object_in(value).get(key)) for key in keys) if text), "")
