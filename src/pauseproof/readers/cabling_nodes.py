"""The nodes of all cabling files of one fabric, each once; where files disagree about one, a remark.

Notation: ``k`` a statement of a node in the order (GUID, file), ``start`` where each node's statements begin.
"""

from collections.abc import Sequence

import numpy as np

from pauseproof.fabric.model import NodeKind
from pauseproof.fabric.places import Place, Problem, Remark
from pauseproof.fabric.problems import refuse_if
from pauseproof.fabric.statements import Nodes
from pauseproof.readers.records import U64, CablingRecords

MAX_PORTS = 254  # IBTA vol. 1, NodeInfo: 8 bits, 255 stands for every port
NONE = -1


def merged_nodes(records: Sequence[CablingRecords], remarks: list[Remark]) -> tuple[Nodes, U64]:
    """The nodes, ascending by the returned keys: the GUIDs, or numbers where there are names only (``guid`` is 0 then).

    Files that name ports only show a part of a radix: theirs is a lower bound. Of disagreeing radices the largest counts,
    of disagreeing kinds and names the first file's.
    """
    key = np.concatenate([one.node_guid for one in records])
    kind = np.concatenate([one.node_kind for one in records])
    ports = np.concatenate([one.node_ports for one in records])
    lengths = [len(one.node_guid) for one in records]
    file = np.repeat(np.arange(len(records), dtype=np.int32), lengths)
    bound = np.repeat([one.guid_is_port for one in records], lengths)
    line = np.concatenate([one.node_line for one in records])
    names = [name for one in records for name in one.node_name]

    order = np.argsort(key, kind="stable")
    first = np.ones(len(order), bool)
    first[1:] = key[order][1:] != key[order][:-1]
    start = np.flatnonzero(first)
    chosen = order[start]
    if not len(chosen):
        refuse_if([Problem(Place(one.file), "holds no nodes; expected a cabling") for one in records])
    largest = np.maximum.reduceat(ports[order], start)
    exact = np.where(bound, NONE, ports)[order]
    most, least = np.maximum.reduceat(exact, start), np.minimum.reduceat(np.where(exact == NONE, MAX_PORTS + 1, exact), start)
    kinds = np.maximum.reduceat(kind[order], start), np.minimum.reduceat(kind[order], start)
    odd = ((most != NONE) & ((most != least) | (largest > most))) | (kinds[0] != kinds[1])
    end = np.append(start[1:], len(order))
    for i in np.flatnonzero(odd).tolist():
        told = order[start[i] : end[i]].tolist()
        said = [f"{NodeKind(kind[k]).name.lower()} with {'at least ' if bound[k] else ''}{ports[k]} ports" for k in told]
        unlike = next((j for j in range(1, len(told)) if said[j] != said[0]), 0)
        places = tuple(Place(records[file[told[j]]].file, int(line[told[j]])) for j in (0, unlike))
        words = f"{names[told[0]]!r} is a {said[0]} in {places[0]}, a {said[unlike]} in {places[1]}"
        remarks.append(Remark("cabling-disagreement", words, _about(int(key[told[0]])), places))
    by_name = records[0].guid_is_name
    place = np.column_stack([file, line])[chosen].astype(np.int32)
    nodes = Nodes(
        [names[k] for k in chosen.tolist()],
        np.zeros(len(chosen), np.uint64) if by_name else key[chosen],
        kind[chosen],
        largest.astype(np.int32),
        place,
    )
    refuse_if(_too_large(nodes, records))
    return nodes, key[chosen]


def _about(guid: int) -> str:
    return f"0x{guid:016x}"


def _too_large(nodes: Nodes, records: Sequence[CablingRecords]) -> list[Problem]:
    said = "has {} ports; InfiniBand has 0 to " + str(MAX_PORTS)
    return [
        Problem(Place(records[f].file, line), f"{nodes.words(i)} {said.format(int(nodes.ports[i]))}")
        for i in np.flatnonzero((nodes.ports < 0) | (nodes.ports > MAX_PORTS)).tolist()
        for f, line in [nodes.place[i].tolist()]  # type: ignore[index]
    ]
