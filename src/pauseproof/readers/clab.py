"""containerlab's topology files (``*.clab.yml``): links of a lab, in the short form and in the extended one.

    topology:
      nodes:
        leaf1: {kind: nokia_srlinux}
      links:
        - endpoints: ["leaf1:e1-1", "spine:e1-1"]
        - type: veth
          endpoints: [{node: leaf1, interface: e1-2}, {node: server1, interface: eth1}]

A node's kind is its own, else that of its group, else the default. Kinds tell network systems (``switch``), and what a port
is called inside the node: SR Linux's ``e1-1`` is ``ethernet-1/1``; such names are aliases. Links to pseudo nodes
(``host``, ``mgmt-net``, ``macvlan`` ...) and to bridges are left out with a remark.

Source: the documentation of containerlab; its own examples use the short form, the extended form is untested on real files.
"""

import re
from collections.abc import Mapping as MappingOf

from pauseproof.readers.cable_rows import CableRows
from pauseproof.readers.clab_kinds import BRIDGES, PSEUDO_NODES, SWITCHES, name_inside
from pauseproof.readers.forms import Form
from pauseproof.readers.roce_records import CableRecords
from pauseproof.readers.source import Source
from pauseproof.readers.suggest import expected_one_of
from pauseproof.readers.yaml_tree import Mapping, Node, Scalar, read_tree

NAME = "containerlab"
END = "an end of a link is 'node:interface', or {node: ..., interface: ...}"

_TOPOLOGY = re.compile(rb"^topology[ \t]*:[ \t]*(?:#.*)?\r?$", re.M)
_SECTION = re.compile(rb"^[ \t]+(?:defaults|kinds|groups|nodes|links)[ \t]*:", re.M)
End = tuple[str, str]


def matches(head: bytes) -> bool:
    """Whether the file has a topology with nodes and links in it.

    >>> matches(b"name: lab\\ntopology:\\n  nodes:\\n")
    True
    """
    topology = _TOPOLOGY.search(head)
    return topology is not None and _SECTION.search(head, topology.end()) is not None


def read(source: Source) -> CableRecords:
    """The links of the lab. Raises BadInput."""
    form, rows = Form(), CableRows(source.path, NAME)
    topology = _child(read_tree(source), "topology")
    kinds = _kinds(form, topology)
    for link in form.items(_child(topology, "links"), "links"):
        _link(form, rows, kinds, link)
    for problem in form.problems:
        rows.problems.add(problem.place.line, problem.message)
    rows.roles.update({node: "switch" for node, kind in kinds.items() if kind in SWITCHES})
    aliases: dict[str, dict[str, str]] = {}
    for _, a, a_port, b, b_port, *_ in rows.rows:
        for device, port in ((a, a_port), (b, b_port)):
            if (inside := name_inside(kinds[device], port)) != port:
                aliases.setdefault(device, {})[port] = inside
    return rows.records(aliases=aliases)


def _child(node: Node | None, key: str) -> Node | None:
    return node.items[key][1] if isinstance(node, Mapping) and key in node.items else None


def _word(node: Node | None, key: str) -> str:
    child = _child(node, key)
    return child.text.strip() if isinstance(child, Scalar) else ""


def _kinds(form: Form, topology: Node | None) -> dict[str, str]:
    """The kind of each node."""
    nodes, groups = _child(topology, "nodes"), _child(topology, "groups")
    if not isinstance(nodes, Mapping):
        if topology is not None:
            form.wrong(topology.place, "the topology has no nodes; expected a mapping from their names")
        return {}
    default = _word(_child(topology, "defaults"), "kind")
    return {
        name: (_word(node, "kind") or _word(_child(groups, _word(node, "group")), "kind") or default).lower()
        for name, (_, node) in nodes.items.items()
    }


def _link(form: Form, rows: CableRows, kinds: MappingOf[str, str], link: Node) -> None:
    if not isinstance(link, Mapping):
        form.wrong(link.place, f"a link is a mapping with 'endpoints', found {link.what}")
        return
    line, kind = link.place.line, _word(link, "type") or "veth"
    if kind != "veth" and _child(link, "endpoints") is None:
        node = _word(_child(link, "endpoint"), "node")
        rows.skip(line, f"the link of type {kind[:40]} of {node or 'a node'}", node or kind)
        return
    ends = [_end(form, item) for item in form.items(_child(link, "endpoints"), "the endpoints of a link")]
    if len(ends) != 2:
        form.wrong(link.place, f"a link has two endpoints, found {len(ends)}")
    elif ends[0] is not None and ends[1] is not None:
        _cable(form, rows, kinds, link, ends[0], ends[1])


def _cable(form: Form, rows: CableRows, kinds: MappingOf[str, str], link: Mapping, a: End, b: End) -> None:
    words = " to ".join(":".join(end).strip(":") for end in (a, b))
    about = " - ".join(sorted("/".join(end) for end in (a, b)))
    if any(node in PSEUDO_NODES and node not in kinds for node, _ in (a, b)):
        rows.skip(link.place.line, f"the link from {words}", about)
        return
    for node, _ in (a, b):
        if node not in kinds:
            form.wrong(link.place, f"there is no node {node[:60]!r}; {expected_one_of(node, kinds)}")
    if all(node in kinds for node, _ in (a, b)):
        if any(kinds[node] in BRIDGES for node, _ in (a, b)):
            rows.skip(link.place.line, f"the link from {words}, a bridge", about)
        else:
            rows.add(link.place.line, a, b)


def _end(form: Form, item: Node) -> End | None:
    if isinstance(item, Mapping):
        node, port = _word(item, "node"), _word(item, "interface")
    else:
        node, _, port = form.text(item, END).strip().partition(":")
    if not node or not (port or node in PSEUDO_NODES):
        form.wrong(item.place, END)
        return None
    return node, port
