"""Batfish's layer1_topology.json: cables by device and interface, one direction of a cable or both.

    {"edges": [{"node1": {"hostname": "leaf1", "interfaceName": "swp1"}, "node2": {...}}]}

Source: the documentation of Batfish snapshots.
"""

from typing import Any

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.json_lines import key_paths, parse
from pauseproof.readers.json_steps import text_in
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source

NAME = "layer1-topology"
ENDS = ("node1", "node2")
EXPECTED = 'expected {"hostname": ..., "interfaceName": ...}'


def matches(head: bytes) -> bool:
    """Whether the file begins with a list of edges between node1 and node2.

    >>> matches(b'{"edges": [{"node1": {"hostname":')
    True
    """
    return any(("edges", "[]", end) in key_paths(head) for end in ENDS)


def read(source: Source) -> CableRecords:
    """The cables of the file. Raises BadInput."""
    found, rows = parse(source), CableRows(source.path, NAME)
    edges = found.value.get("edges") if isinstance(found.value, dict) else None
    if not isinstance(edges, list):
        rows.problems.add(1, 'expected {"edges": [...]}')
        edges = []
    lines = found.lines("edges") if edges else {}
    for index, edge in enumerate(edges):
        line = lines[index]
        ends = [_end(edge.get(name)) if isinstance(edge, dict) else None for name in ENDS]
        for name, end in zip(ENDS, ends, strict=True):
            if end is None:
                rows.problems.add(line, f"edge {index + 1} has no {name} with a hostname and an interfaceName; {EXPECTED}")
        if ends[0] is not None and ends[1] is not None:
            rows.add(line, ends[0], ends[1])
    return rows.records()


def _end(node: Any) -> tuple[str, str] | None:
    if not isinstance(node, dict):
        return None
    device, port = text_in(node.get("hostname")), text_in(node.get("interfaceName"))
    return (device, port) if device and port else None
