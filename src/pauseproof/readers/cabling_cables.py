"""The cables of all cabling files of one fabric: agreeing statements are one, the rest becomes remarks.

A *group* is all statements of one cable. Where two files plug a port differently the first file counts; where one file plugs
a port twice nothing is decided here: :func:`pauseproof.fabric.build.make_fabric` refuses it.

Notation: ``c`` a statement, ``g`` a group, ``key`` = node * 2**32 + port.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Place, Problem, Remark
from pauseproof.fabric.problems import MOST, refuse_if
from pauseproof.fabric.statements import Cables, Nodes
from pauseproof.readers.records import I32, U64, CablingRecords

I64 = NDArray[np.int64]


def merged_cables(records: Sequence[CablingRecords], nodes: Nodes, keys: U64, remarks: list[Remark]) -> Cables:
    """The cables of all files between ``nodes`` (ascending by ``keys``). Raises BadInput for ends at unknown nodes."""
    cables = _stated(records, keys)
    if len(records) == 1 or not len(cables):
        return cables
    ends = (cables.a.astype(np.int64) << 32) | cables.a_port, (cables.b.astype(np.int64) << 32) | cables.b_port
    groups = _Groups.of(np.minimum(*ends), np.maximum(*ends), cables, len(records))
    lost = _disagreements(groups, cables, nodes, records, remarks)
    _only_in_one(groups, lost, cables, nodes, records, remarks)
    drop = np.zeros(len(groups.start), bool)
    drop[[loser for _, loser in lost]] = True
    keep = ~drop[groups.of_statement]
    columns: list[Any] = [cables.a, cables.a_port, cables.b, cables.b_port, cables.place, cables.speed]
    return Cables(*(column[keep] for column in columns))


def _stated(records: Sequence[CablingRecords], keys: U64) -> Cables:
    """All statements, in the order of the files, with node indices for GUIDs."""
    file = np.repeat(np.arange(len(records), dtype=np.int32), [len(one.cable_a) for one in records])
    line = np.concatenate([one.cable_line for one in records])
    ends: list[I32] = []
    problems = []
    for guid in (np.concatenate([one.cable_a for one in records]), np.concatenate([one.cable_b for one in records])):
        at = np.minimum(np.searchsorted(keys, guid), len(keys) - 1).astype(np.int32)
        for c in np.flatnonzero(keys[at] != guid).tolist():
            said = f"a cable to the node 0x{int(guid[c]):016x}, which no file describes; expected it among the nodes"
            problems.append(Problem(Place(records[int(file[c])].file, int(line[c])), said))
        ends.append(at)
    refuse_if(problems)
    return Cables(
        ends[0],
        np.concatenate([one.cable_a_port for one in records]),
        ends[1],
        np.concatenate([one.cable_b_port for one in records]),
        np.column_stack([file, line]).astype(np.int32),
        np.concatenate([one.cable_speed for one in records]),
    )


@dataclass(frozen=True)
class _Groups:
    """Statements by cable. ``first`` [G] is each group's first statement, ``in_file`` [G, files] who states it."""

    start: I64
    first: I64
    low: I64
    high: I64
    of_statement: I64
    in_file: NDArray[np.bool_]

    @classmethod
    def of(cls, low: I64, high: I64, cables: Cables, n_files: int) -> "_Groups":
        order = np.lexsort((high, low))
        begins = np.ones(len(order), bool)
        begins[1:] = (low[order][1:] != low[order][:-1]) | (high[order][1:] != high[order][:-1])
        start = np.flatnonzero(begins)
        of_statement = np.empty(len(order), np.int64)
        of_statement[order] = np.cumsum(begins) - 1
        in_file = np.zeros((len(start), n_files), bool)
        assert cables.place is not None
        in_file[of_statement, cables.place[:, 0]] = True
        first = order[start]
        return cls(start, first, low[first], high[first], of_statement, in_file)


def _disagreements(
    groups: _Groups, cables: Cables, nodes: Nodes, records: Sequence[CablingRecords], remarks: list[Remark]
) -> list[tuple[int, int]]:
    """Pairs (group kept, group dropped) that share a port and no file; a remark for each."""
    pairs: list[tuple[int, int]] = []
    holder: dict[int, int] = {}
    for g in _sharing_ports(groups):
        ports = int(groups.low[g]), int(groups.high[g])
        rival = next((p for p in ports if p in holder and not (groups.in_file[holder[p]] & groups.in_file[g]).any()), None)
        if rival is None:
            holder.update(dict.fromkeys(ports, g))
            continue
        pairs.append((holder[rival], g))
        node, port = rival >> 32, rival & 0xFFFFFFFF
        told = [_told(int(groups.first[one]), cables, nodes, records, (node, port)) for one in pairs[-1]]
        words = f"{nodes.port_words(node, port)} is cabled to {told[0][0]} in {told[0][1]}, to {told[1][0]} in {told[1][1]}"
        about = f"{_identity(nodes, node)}/{port}"
        remarks.append(Remark("cabling-disagreement", f"{words}; the first counts", about, (told[0][1], told[1][1])))
    return pairs


def _sharing_ports(groups: _Groups) -> list[int]:
    """The groups one of whose ports another group uses too, in the order of the files."""
    key = np.concatenate([groups.low, groups.high])
    group = np.concatenate([np.arange(len(groups.start))] * 2)
    order = np.argsort(key, kind="stable")
    same = (key[order][1:] == key[order][:-1]) & (group[order][1:] != group[order][:-1])
    sharing = np.unique(group[order][np.append(same, False) | np.append(False, same)])
    return sharing[np.argsort(groups.first[sharing], kind="stable")].tolist()  # type: ignore[no-any-return]


def _told(c: int, cables: Cables, nodes: Nodes, records: Sequence[CablingRecords], end: tuple[int, int]) -> tuple[str, Place]:
    assert cables.place is not None
    return nodes.port_words(*cables.far_end(c, *end)), Place(records[int(cables.place[c, 0])].file, int(cables.place[c, 1]))


def _only_in_one(
    groups: _Groups,
    told: list[tuple[int, int]],
    cables: Cables,
    nodes: Nodes,
    records: Sequence[CablingRecords],
    remarks: list[Remark],
) -> None:
    """A remark for each cable that a file lacks, at most MOST for each set of files, then their number."""
    lacking: NDArray[np.bool_] = ~np.all(groups.in_file, axis=1)
    lacking[[g for pair in told for g in pair]] = False
    by_files: dict[tuple[int, ...], list[int]] = {}
    for g in np.flatnonzero(lacking).tolist():
        by_files.setdefault(tuple(np.flatnonzero(groups.in_file[g]).tolist()), []).append(g)
    for files, some in sorted(by_files.items()):
        others = " and ".join(records[f].file for f in range(len(records)) if f not in files)
        for g in some[:MOST]:
            c = int(groups.first[g])
            near = int(cables.a[c]), int(cables.a_port[c])
            far, place = _told(c, cables, nodes, records, near)
            words = f"the cable from {nodes.port_words(*near)} to {far} is not in {others}"
            remarks.append(Remark("cabling-only-in-one", words, _cable_identity(nodes, c, cables), (place, Place(others))))
        if len(some) > MOST:
            here = " and ".join(records[f].file for f in files)
            words = f"{len(some) - MOST} more cables of {here} are not in {others}"
            remarks.append(
                Remark("cabling-only-in-one", words, f"{len(some) - MOST} more cables", (Place(here), Place(others)))
            )


def _identity(nodes: Nodes, i: int) -> str:
    return f"0x{int(nodes.guid[i]):016x}" if nodes.guid[i] else nodes.name[i]


def _cable_identity(nodes: Nodes, c: int, cables: Cables) -> str:
    ends = ((cables.a, cables.a_port), (cables.b, cables.b_port))
    return " - ".join(sorted(f"{_identity(nodes, int(node[c]))}/{int(port[c])}" for node, port in ends))
