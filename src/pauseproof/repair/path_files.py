"""Paths and their service levels as files: what OpenSM and ibdiagnet write, and lines of a topology file.

Path SLs go by the GUID of the node (ibdiagnet's ``.psl``) where all ports of a node agree, else by that of the port
(``opensm-path-records.dump``). SL-to-VL rows have the form of ``opensm-sl2vl.dump``: one for every turn and every host.

Notation: ``labels`` [H, D] as in :class:`Traffic`, one bit each; ``h`` a host, ``n`` a node, ``d`` a column.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import NodeKind
from pauseproof.repair.rewrites import shown
from pauseproof.routing.network import Network
from pauseproof.routing.tables import DestinationKind

Labels = NDArray[np.uint32]

PSL, RECORDS, SL2VL = "path-sl.psl", "opensm-path-records.dump", "opensm-sl2vl.dump"
_DASHES = "#--------------------------------------------------------"
_NOT_KNOWN = "0 : 0"  # MTU and rate


def infiniband_files(network: Network, labels: Labels, vls: Sequence[int]) -> Mapping[str, str]:
    """The two files; they take the place of all files of path SLs and of SL-to-VL tables. ``vls`` [16] by SL."""
    of_node = _one_host_each(network, labels)
    paths = {RECORDS: _path_records(network, labels)} if of_node is None else {PSL: _psl(network, labels, of_node)}
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in {**paths, SL2VL: _sl2vl(network, vls)}.items()}


def _one_host_each(network: Network, labels: Labels) -> dict[int, int] | None:
    """Node -> one of its hosts; None where two ports of one node send with different labels."""
    first: dict[int, int] = {}
    for h, n in enumerate(network.fabric.host_node.tolist()):
        if not np.array_equal(labels[first.setdefault(n, h)], labels[h]):
            return None
    return first


def _rows(network: Network, labels: Labels, h: int) -> Iterator[tuple[int, int]]:
    """(LID, SL) of every host that is not on the node of ``h``."""
    fabric, destinations = network.fabric, network.destinations
    node = int(fabric.host_node[h])
    for d in np.flatnonzero(destinations.kind == DestinationKind.HOST).tolist():
        if any(int(fabric.host_node[g]) != node for g in destinations.members(d)):
            yield int(destinations.names[d]), int(labels[h, d]).bit_length() - 1


def _psl(network: Network, labels: Labels, of_node: Mapping[int, int]) -> Iterator[str]:
    for n, h in sorted(of_node.items()):
        guid = int(network.fabric.node_guid[n])
        yield from (f"0x{guid:016x} {lid} {sl}" for lid, sl in _rows(network, labels, h))


def _path_records(network: Network, labels: Labels) -> Iterator[str]:
    for h in range(network.fabric.n_hosts):
        yield f"{_host_header(network, h)}, port {network.fabric.host(h).port}"
        yield "# LID : SL : MTU : RATE"
        yield from (f"0x{lid:04x} : {sl} : {_NOT_KNOWN}" for lid, sl in _rows(network, labels, h))
        yield ""


def _sl2vl(network: Network, vls: Sequence[int]) -> Iterator[str]:
    fabric = network.fabric
    row = "".join(f" {vl:<2}" for vl in vls)
    block = partial(_block, "".join(f" {sl:<2}" for sl in range(len(vls))))
    for s in range(fabric.n_switches):
        lid = next((name for d, name in enumerate(network.destinations.names) if network.destinations.owner[d] == s), "0")
        outs = np.flatnonzero(fabric.out_link[s] >= 0).tolist()
        ins = [0, *np.flatnonzero(fabric.in_link[s] >= 0).tolist()]
        header = f'Switch 0x{int(fabric.node_guid[s]):016x}, base LID {lid}, "{shown(fabric.node_name[s])}"'
        yield from block(header, [f"{i:<4}{o:<4}:{row}" for o in outs for i in ins])
    for h in range(fabric.n_hosts):
        yield from block(_host_header(network, h), [f"{0:<4}{0:<4}:{row}"])


def _block(sls: str, header: str, rows: Sequence[str]) -> Iterator[str]:
    yield from (header, f"#in out :{sls}", _DASHES, *rows, _DASHES, "")


def _host_header(network: Network, h: int) -> str:
    host = network.fabric.host(h)
    guid = int(network.host_guids[h]) if network.host_guids is not None else 0
    lids = [int(name) for d, name in enumerate(network.destinations.names) if h in network.destinations.members(d)]
    kind = "Router" if host.kind == NodeKind.ROUTER else "Channel Adapter"
    return f'{kind} 0x{guid or host.guid:016x}, base LID {min(lids, default=0)}, "{shown(host.name)}"'


def topology_lines(network: Network, labels: Labels, n: int) -> str:
    """The keys ``lanes`` and ``send`` of a topology file: they take the place of all keys on lanes and labels."""
    fabric, destinations = network.fabric, network.destinations
    at = fabric.link_dst[fabric.host_up]
    groups: dict[tuple[int, int], set[str]] = {}
    for d in np.flatnonzero(destinations.kind == DestinationKind.HOST).tolist():
        for s in np.unique(at).tolist():
            sl = int(labels[np.flatnonzero(at == s)[0], d]).bit_length() - 1
            if sl:
                names = {fabric.node_name[int(fabric.host_node[g])] for g in destinations.members(d)}
                groups.setdefault((s, sl), set()).update(names)
    lines = [f"lanes: {n}", "send:"]
    for (s, sl), names in sorted(groups.items()):
        lines.append(f"  - {{from: {fabric.node_name[s]}, to: [{', '.join(sorted(names))}], label: {sl}}}")
    return "".join(f"{line}\n" for line in lines)
