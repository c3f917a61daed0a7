"""The LIDs of all cabling files of one fabric: which port owns which range.

A port may be stated several times. Two files that give it different LIDs or LMCs disagree (a remark; the first counts); one
file that does is refused. A LID with two owners is refused: in one file it is an error, in two it shows two fabrics.

Notation: ``p`` a statement of a port, sorted by (node, port, file).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import Place, Problem, Remark
from pauseproof.fabric.problems import refuse_if
from pauseproof.fabric.statements import Nodes
from pauseproof.readers.records import I32, U64, UNKNOWN_LMC, CablingRecords

LAST_UNICAST = 0xBFFF
LARGEST_LMC = 7
PERMISSIVE = 0xFFFF  # what a port has before the SM gives it a LID; 0 likewise


@dataclass(frozen=True)
class Lids:
    """The owners of LIDs: arrays [p] by (node, port); LIDs ``base .. base + 2**lmc - 1``, one where the LMC is unknown."""

    node: I32
    port: I32
    base: I32
    lmc: I32
    port_guid: U64
    place: I32

    def __getitem__(self, some: NDArray[Any]) -> "Lids":
        """The owners that ``some`` (indices or a mask) selects."""
        columns: list[Any] = [self.node, self.port, self.base, self.lmc, self.port_guid, self.place]
        return Lids(*(column[some] for column in columns))

    def __len__(self) -> int:
        return len(self.node)

    @property
    def last(self) -> I32:
        """The last LID of each range."""
        return (self.base + (1 << np.clip(self.lmc, 0, LARGEST_LMC)) - 1).astype(np.int32)


def merged_lids(records: Sequence[CablingRecords], nodes: Nodes, keys: U64, remarks: list[Remark]) -> Lids:
    """One row for each port that has a LID; ``nodes`` are ascending by ``keys``. Raises BadInput."""
    told = _Told(nodes, records)
    every = _stated(records, keys)
    refuse_if(told.impossible(every))
    stated = every[every.base > 0]
    start = np.flatnonzero(np.append(True, (np.diff(stated.node) != 0) | (np.diff(stated.port) != 0))[: len(stated)])
    refuse_if(told.changes(stated, start, remarks))
    chosen = stated[start]
    if len(start):
        known = np.maximum.reduceat(stated.lmc, start)
        guid = np.maximum.reduceat(stated.port_guid, start)
        lmc = np.where(chosen.lmc == UNKNOWN_LMC, known, chosen.lmc).astype(np.int32)
        port_guid = np.where(chosen.port_guid == 0, guid, chosen.port_guid)
        chosen = Lids(chosen.node, chosen.port, chosen.base, lmc, port_guid, chosen.place)
    refuse_if(told.shared(chosen))
    return chosen


def _stated(records: Sequence[CablingRecords], keys: U64) -> Lids:
    file = np.repeat(np.arange(len(records)), [len(one.port_node) for one in records])
    line = np.concatenate([one.port_line for one in records])
    node = np.concatenate([one.port_node for one in records])
    port = np.concatenate([one.port_number for one in records])
    at = np.minimum(np.searchsorted(keys, node), len(keys) - 1).astype(np.int32)
    base, lmc = (np.concatenate([getattr(one, name) for one in records]) for name in ("port_lid", "port_lmc"))
    base = np.where(base == PERMISSIVE, 0, base).astype(np.int32)
    guid = np.concatenate([one.port_guid for one in records])
    place = np.column_stack([file, line]).astype(np.int32)
    order = np.lexsort((file, port, at))
    return Lids(at, port, base, lmc, guid, place)[order[keys[at[order]] == node[order]]]


@dataclass(frozen=True)
class _Told:
    """Puts problems and remarks into words."""

    nodes: Nodes
    records: Sequence[CablingRecords]

    def place(self, lids: Lids, p: int) -> Place:
        return Place(self.records[int(lids.place[p, 0])].file, int(lids.place[p, 1]))

    def port(self, lids: Lids, p: int) -> str:
        return self.nodes.port_words(int(lids.node[p]), int(lids.port[p]))

    def impossible(self, lids: Lids) -> list[Problem]:
        """LIDs that are no unicast LIDs, LMCs that are none, ports beyond the radix."""
        out = []
        beyond = lids.port > self.nodes.ports[lids.node]
        bad_lmc = (lids.lmc > LARGEST_LMC) | (lids.lmc < UNKNOWN_LMC)
        bad = (lids.base < 0) | (lids.last > LAST_UNICAST) | bad_lmc | beyond
        for p in np.flatnonzero(bad).tolist():
            said = f"{self.port(lids, p)} has LID {int(lids.base[p])}; expected 1 to {LAST_UNICAST}, or 0 for none"
            if beyond[p]:
                said = f"{self.port(lids, p)} is beyond its radix {int(self.nodes.ports[lids.node[p]])}"
            elif bad_lmc[p]:
                said = f"{self.port(lids, p)} has LMC {int(lids.lmc[p])}; expected 0 to {LARGEST_LMC}"
            out.append(Problem(self.place(lids, p), said))
        return sorted(out, key=lambda problem: problem.place)

    def changes(self, stated: Lids, start: NDArray[np.int64], remarks: list[Remark]) -> list[Problem]:
        """Ports whose LID or LMC is stated differently: problems within one file, remarks between two."""
        out = []
        first = np.repeat(start, np.diff(np.append(start, len(stated))))
        known = (stated.lmc != UNKNOWN_LMC) & (stated.lmc[first] != UNKNOWN_LMC)
        differ = (stated.base != stated.base[first]) | (known & (stated.lmc != stated.lmc[first]))
        for p in np.flatnonzero(differ).tolist():
            q = int(first[p])
            places = self.place(stated, q), self.place(stated, p)
            values = [f"LID {int(stated.base[k])}" + f" LMC {int(stated.lmc[k])}" * bool(known[p]) for k in (q, p)]
            said = f"{self.port(stated, p)} has {values[0]} in {places[0]}, {values[1]} in {places[1]}"
            if stated.place[p, 0] == stated.place[q, 0]:
                out.append(Problem(places[1], f"{said}; expected one"))
            else:
                guid = int(self.nodes.guid[stated.node[p]])
                about = f"0x{guid:016x}/{int(stated.port[p])}"
                remarks.append(Remark("cabling-disagreement", f"{said}; the first counts", about, places))
        return out

    def shared(self, lids: Lids) -> list[Problem]:
        """LIDs with two owners."""
        order = np.argsort(lids.base, kind="stable")
        furthest = np.maximum.accumulate(lids.last[order]) if len(order) else lids.last
        out = []
        for k in np.flatnonzero(lids.base[order][1:] <= furthest[:-1]).tolist():
            p = int(order[k + 1])
            q = int(order[: k + 1][lids.last[order[: k + 1]] >= lids.base[p]][0])
            one, two = sorted((p, q), key=lambda owner: self.place(lids, owner))
            where = self.place(lids, one)
            said = f"LID {int(lids.base[p])} belongs to {self.port(lids, two)} here and to {self.port(lids, one)} in {where}"
            if lids.place[p, 0] != lids.place[q, 0]:
                said += "; two fabrics, or two moments of one, seem to be mixed: give one at a time"
            out.append(Problem(self.place(lids, two), said))
        return out
