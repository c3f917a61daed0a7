"""GraphML: a graph as XML, such as the Topology Zoo's. Edges seldom have ports: those are called after the neighbour.

    <graphml><graph edgedefault="undirected">
      <node id="leaf1"/> <node id="spine1"/>
      <edge source="leaf1" target="spine1" sourceport="swp1" targetport="swp1"/>
    </graph></graphml>

A node goes by its label where every node has one and no two have the same, else by its id. ``data`` of the keys ``role``,
``type``, ``speed`` and ``length`` is understood. Hyperedges, nested graphs and document types are refused.

Source: http://graphml.graphdrawing.org/specification.html.
"""

from collections.abc import Mapping

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.device_roles import role_of
from pauseproof.readers.drawn_graphs import Edge, PortsByNeighbour
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source
from pauseproof.readers.xml_tree import Element, read_xml

NAME = "graphml"
LABELS = ("label", "name")
ROLES = ("role", "kind", "type", "function")


def matches(head: bytes) -> bool:
    """Whether the root of the XML is graphml.

    >>> matches(b'<?xml version="1.0"?><graphml>')
    True
    """
    return b"<graphml" in head


def read(source: Source) -> CableRecords:
    """The edges of the graph. Raises BadInput."""
    root, rows = read_xml(source), CableRows(source.path, NAME)
    graphs = list(root.every("graph"))
    if root.tag != "graphml" or len(graphs) != 1:
        raise BadInput.at(Place(source.path, root.line), f"{len(graphs)} graphs; expected one <graph> in a <graphml>")
    graph, keys = graphs[0], {one.attributes.get("id", ""): _title(one) for one in root.all("key")}
    for hyperedge in root.every("hyperedge"):
        rows.problems.add(hyperedge.line, "a hyperedge is no cable; expected edges with two ends")
    names = _names(rows, graph, keys)
    ports = PortsByNeighbour(rows, frozenset(names.values()), directed=graph.attributes.get("edgedefault") == "directed")
    for edge in graph.all("edge"):
        data, of = _data(edge, keys), edge.attributes
        a, b = (names.get(of.get(end, ""), of.get(end, "")) for end in ("source", "target"))
        a_port, b_port = of.get("sourceport", ""), of.get("targetport", "")
        ports.add(Edge(edge.line, a, b, a_port, b_port, data.get("speed", ""), data.get("length", "")))
    return rows.records()


def _title(key: Element) -> str:
    return key.attributes.get("attr.name", key.attributes.get("id", "")).lower()


def _data(element: Element, keys: Mapping[str, str]) -> dict[str, str]:
    return {keys.get(one.attributes.get("key", ""), ""): one.text for one in element.all("data")}


def _names(rows: CableRows, graph: Element, keys: Mapping[str, str]) -> dict[str, str]:
    """The name of each node by its id; notes roles, and ids that are missing or there twice."""
    nodes, labels = dict[str, Element](), dict[str, str]()
    for node in graph.all("node"):
        identity = node.attributes.get("id", "")
        if not identity or identity in nodes:
            said = f"node {identity[:60]!r} is there twice" if identity else "a node without an id"
            rows.problems.add(node.line, f"{said}; expected an id for each")
        data = _data(node, keys)
        nodes[identity] = node
        labels[identity] = next((data[key] for key in LABELS if data.get(key)), "")
    by_label = all(labels.values()) and len(set(labels.values())) == len(labels)
    names = labels if by_label else {identity: identity for identity in nodes}
    for identity, node in nodes.items():
        data = _data(node, keys)
        if role := next((role for role in (role_of(data.get(key, "")) for key in ROLES) if role), ""):
            rows.roles[names[identity]] = role
    return names
