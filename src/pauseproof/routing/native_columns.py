"""The destinations of a topology file, and who sends what to them.

On RoCE the hosts of a switch share a column that bears the switch's name, except those that a table entry or a ``send``
line names, those whose node has several ports, and those that an entry sends packets straight to or that a lane rule makes
lossy: each of these has a column of its own, as :class:`Destinations` asks. On InfiniBand every host and every switch has one.
"""

from dataclasses import dataclass

import numpy as np

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.native_lines import NativeFile, Word
from pauseproof.routing.native_names import Names, is_pattern
from pauseproof.routing.tables import DestinationKind, Destinations
from pauseproof.routing.traffic import Traffic

LOSSY_WORD = "lossy"


@dataclass(frozen=True)
class Columns:
    """The columns, and ``origin`` [D]: the switch that hands each to its hosts."""

    destinations: Destinations
    origin: Ids

    def meant_by(self, words: tuple[Word, ...], names: Names) -> tuple[list[int], list[int]]:
        """Columns that the words name, and those that only patterns match.

        A switch means the columns of all its hosts; a host the columns of all its ports.
        """
        named: set[int] = set()
        matched: set[int] = set()
        fabric = names.fabric
        for word in words:
            nodes = names.nodes((word,), "switch or host", 0, fabric.n_nodes)
            switches = [n for n in nodes if n < fabric.n_switches]
            of_switch = np.flatnonzero(np.isin(self.origin, switches)).tolist()
            of_host = np.flatnonzero(np.isin(self._first_node(fabric), [n for n in nodes if n >= fabric.n_switches]))
            found = {*of_switch, *(d for d in of_host.tolist() if self._is_own(d))}
            (matched if is_pattern(word) else named).update(found)
        return sorted(named), sorted(matched - named)

    def _first_node(self, fabric: Fabric) -> Ids:
        members = self.destinations.member_ptr
        out = np.full(len(self.origin), -1, np.int32)
        some = np.flatnonzero(np.diff(members) > 0)
        out[some] = fabric.host_node[self.destinations.member[members[some]]]
        return out

    def _is_own(self, d: int) -> bool:
        return self.destinations.names[d] != "" and len(self.destinations.members(d)) == 1


def columns_of(native: NativeFile, fabric: Fabric, lookup: Names) -> Columns:
    """The columns of a fabric. Raises BadInput where two hosts are cabled together."""
    at = fabric.link_dst[fabric.host_up]
    for h in np.flatnonzero(at >= fabric.n_switches).tolist():
        place = fabric.place_of_link(int(fabric.host_up[h])) or Place(native.path)
        raise BadInput.at(place, f"the host {fabric.host(h).name!r} is cabled to a host; hosts are cabled to switches")
    own = np.ones(fabric.n_hosts, bool) if native.kind == "infiniband" else _own(native, fabric, lookup)
    shared = np.flatnonzero(~own)
    shared = shared[np.argsort(at[shared], kind="stable")]
    switches, counts = np.unique(at[shared], return_counts=True)
    alone = np.flatnonzero(own)
    ports = np.ones(len(alone), np.int64)
    owners = np.arange(fabric.n_switches if native.kind == "infiniband" else 0, dtype=np.int32)
    names = [fabric.node_name[s] for s in switches.tolist()] + [_own_name(fabric, h) for h in alone.tolist()]
    names += [fabric.node_name[s] for s in owners.tolist()]
    sizes = np.concatenate([counts, ports, np.zeros(len(owners), np.int64)])
    kind = np.full(len(names), DestinationKind.HOST, np.uint8)
    kind[len(names) - len(owners) :] = DestinationKind.SWITCH
    owner = np.concatenate([np.full(len(names) - len(owners), -1, np.int32), owners])
    member = np.concatenate([shared, alone]).astype(np.int32)
    ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    origin = np.concatenate([switches, at[alone], owners]).astype(np.int32)
    return Columns(Destinations(names, kind, owner, ptr, member), origin)


def _own(native: NativeFile, fabric: Fabric, lookup: Names) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    words = {word.text for line in native.tables for word in line.destinations}
    words |= {word.text for line in native.send for word in line.destination}
    ports = np.bincount(fabric.host_node, minlength=fabric.n_nodes)
    own = ports[fabric.host_node] > 1
    if words:
        own |= np.array([fabric.node_name[n] in words for n in fabric.host_node.tolist()], bool)
    own[list(_hosts_at(native, lookup))] = True
    return own


def _hosts_at(native: NativeFile, names: Names) -> set[int]:
    """Hosts that the ``out`` of a table entry means, and of a lane rule by which packets may become lossy."""
    fabric, base_is_lossy = names.fabric, any(word.text == LOSSY_WORD for word in native.lane_of_label)
    turns = [(line.switches, line.out) for line in native.tables if line.out]
    for rule in native.lane_rules:
        if base_is_lossy and rule.lane:
            return set(range(fabric.n_hosts))  # a label that is lossy but for this rule is lossy on the way to every host
        if base_is_lossy or any(word.text == LOSSY_WORD for word in (*rule.label.values(), *rule.lane.values())):
            turns.append((rule.at, rule.out))
    found: set[int] = set()
    for at, out in turns:
        for s in names.switches(at):
            ports = {p for word in out for p in names.ports(s, word)}
            links = fabric.out_link[s, sorted(ports)]
            found.update(fabric.host_of_link[links[links >= 0]].tolist())
    return found - {-1}


def _own_name(fabric: Fabric, h: int) -> str:
    host = fabric.host(h)
    several = int(fabric.node_ports[host.node]) > 1
    return f"{host.name}:{fabric.port_name(host.node, host.port)}" if several else host.name


def traffics_of(native: NativeFile, columns: Columns, names: Names) -> dict[str, Traffic]:
    """All hosts to all hosts; on InfiniBand also with every switch's own port 0."""
    fabric, kind = names.fabric, columns.destinations.kind
    labels = _labels(native, columns, names) if native.send else None
    hosts = np.ones(fabric.n_hosts, bool)
    none, every = np.zeros(fabric.n_switches, bool), np.ones(fabric.n_switches, bool)
    out = {"hosts": Traffic("hosts", hosts, hosts, none, kind == DestinationKind.HOST, 0, labels)}
    if native.kind == "infiniband":
        out["hosts+switches"] = Traffic("hosts+switches", hosts, hosts, every, np.ones(len(kind), bool), 0, labels)
    return out


def _labels(native: NativeFile, columns: Columns, names: Names) -> np.ndarray[tuple[int, int], np.dtype[np.uint32]]:
    fabric = names.fabric
    at = fabric.link_dst[fabric.host_up]
    labels = np.ones((fabric.n_hosts, len(columns.origin)), np.uint32)
    for line in native.send:
        nodes = names.nodes(line.source, "switch or host", 0, fabric.n_nodes)
        senders = np.flatnonzero(np.isin(at, nodes) | np.isin(fabric.host_node, nodes))
        named, matched = columns.meant_by(line.destination, names)
        if line.label.text not in native.labels:
            names.wrong(line.label, f"{line.label.text!r} is no label; expected one of {', '.join(native.labels)}")
            continue
        labels[np.ix_(senders, np.array(named + matched, np.int64))] = 1 << native.labels.index(line.label.text)
    return labels
