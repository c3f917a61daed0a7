"""One row for each turn and host, and what is odd about them: rows that disagree, that are missing, that fold SLs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Remark
from pauseproof.readers.lane_targets import Int, TargetedRows

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Chosen:
    """The rows chosen for some targets (turns, or hosts).

    ``first`` [targets] is the first row of a target, -1 where it has none. ``differ`` are later rows that mean something
    else than the first row of their target. ``missing`` are the needed targets without a row; ``at`` those with rows that
    agree, ``known`` the rows of those.
    """

    target: Int
    first: Int
    differ: Int
    missing: Int
    at: Int
    known: Int

    @classmethod
    def among(cls, target: Int, meaning: Int, needed: Bools) -> "Chosen":
        """Choose among rows: row ``i`` is of ``target[i]`` (-1: of none) and means ``meaning[i]``."""
        rows = np.flatnonzero(target >= 0)
        rows = rows[needed[target[rows]]]
        first = np.full(len(needed), -1, np.int64)
        first[target[rows][::-1]] = rows[::-1]  # where a target repeats, the last assignment stays: the earliest row
        differ = rows[meaning[rows] != meaning[first[target[rows]]]]
        agreed = first >= 0
        agreed[target[differ]] = False
        at = np.flatnonzero(agreed)
        return cls(target, first, differ, np.flatnonzero(needed & (first < 0)), at, first[at])


def disagreements(fabric: Fabric, rows: TargetedRows, turns: Chosen, hosts: Chosen) -> Iterator[Remark]:
    """One remark for each switch and host for which the files differ."""
    width = fabric.max_radix + 1
    switch, first, count = np.unique(turns.target[turns.differ] // width**2, return_index=True, return_counts=True)
    for s, at, n in zip(switch.tolist(), first.tolist(), count.tolist(), strict=True):
        later = int(turns.differ[at])
        earlier = int(turns.first[turns.target[later]])
        in_port, out_port = divmod(int(turns.target[later]) % width**2, width)
        name = f"the SL-to-VL row of {fabric.node_name[s]} for in-port {in_port}, out-port {out_port}"
        others = f", and {n - 1} more rows of the switch do" if n > 1 else ""
        about = f"{fabric.identity(s)}/{in_port}/{out_port}"
        yield Remark("table-disagreement", _two_inputs(name, others), about, (rows.place(earlier), rows.place(later)))
    host, first = np.unique(hosts.target[hosts.differ], return_index=True)
    for h, at in zip(host.tolist(), first.tolist(), strict=True):
        later = int(hosts.differ[at])
        places = (rows.place(int(hosts.first[h])), rows.place(later))
        name = f"the SL-to-VL row of host {_host_name(fabric, h)}"
        yield Remark("table-disagreement", _two_inputs(name, ""), _host_identity(fabric, h), places)


def _two_inputs(name: str, others: str) -> str:
    return f"{name} differs between two inputs{others}; it is taken as unknown"


def missing_turns(fabric: Fabric, turns: Chosen) -> Iterator[Remark]:
    """At most one remark, about all turns without a row."""
    if not len(turns.missing):
        return
    width = fabric.max_radix + 1
    switch, turn = np.divmod(turns.missing, width**2)
    s, (in_port, out_port) = int(switch[0]), divmod(int(turn[0]), width)
    yield Remark(
        "sl2vl-missing",
        f"{len(turn)} turns between cabled ports of {len(np.unique(switch))} switches have no SL-to-VL row, the first"
        f" in-port {in_port}, out-port {out_port} of {fabric.node_name[s]}",
        f"{fabric.identity(s)}/{in_port}/{out_port}",
    )


def missing_hosts(fabric: Fabric, hosts: Chosen) -> Iterator[Remark]:
    """At most one remark, about all hosts without a row."""
    if len(hosts.missing):
        h = int(hosts.missing[0])
        message = f"{len(hosts.missing)} hosts have no SL-to-VL row, the first {_host_name(fabric, h)}; theirs are unknown"
        yield Remark("sl2vl-missing", message, _host_identity(fabric, h))


def folded(
    fabric: Fabric,
    rows: TargetedRows,
    turn_vl: NDArray[np.uint8],
    host_vl: NDArray[np.uint8],
    turns: Chosen,
    hosts: Chosen,
    largest_sl: int,
) -> Iterator[Remark]:
    """One remark for each ``n`` (1, 2, 4, 8): the ports with rows ``vl = sl & (n - 1)``, where SLs from ``n`` up are in use.

    ``turn_vl`` and ``host_vl`` [.., 16] are the rows ``turns.known`` and ``hosts.known``.
    """
    width = fabric.max_radix + 1
    for n in (1, 2, 4, 8):
        if largest_sl < n:
            return
        fold = (np.arange(16) & (n - 1)).astype(np.uint8)
        turn, host = (np.flatnonzero((vl == fold).all(axis=1)) for vl in (turn_vl, host_vl))
        out_ports = np.unique(turns.at[turn] // width**2 * width + turns.at[turn] % width)
        known = np.concatenate((turns.known[turn], hosts.known[host]))
        if not len(known):
            continue
        where = f"{len(out_ports)} switch ports" + (f" and {len(host)} host ports" if len(host) else "")
        lanes = "all SLs share VL 0" if n == 1 else f"SL k rides VL k mod {n}, so SLs {n} apart share a VL"
        message = f"{where} have {n} VL{'s' * (n > 1)} while SLs up to {largest_sl} are in use: {lanes}"
        yield Remark("sl2vl-folded", message, f"{n}-vls", (rows.place(int(known.min())),))


def _host_name(fabric: Fabric, h: int) -> str:
    host = fabric.host(h)
    return f"{host.name} port {host.port}"


def _host_identity(fabric: Fabric, h: int) -> str:
    host = fabric.host(h)
    return f"{fabric.identity(host.node)}/{host.port}"
