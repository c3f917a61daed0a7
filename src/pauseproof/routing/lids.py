"""Who owns which LID: the destinations of an InfiniBand subnet, one column a LID.

A port owns ``base .. base + 2^LMC - 1``. The LMC comes from the cabling where it has one, else from guid2lid, else from the
owners that the comments of the table dumps give. A switch's port 0 owns its LID; every other cabled port is a host.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.readers.cabling import Built
from pauseproof.readers.records import UNKNOWN_LMC, ForwardingRecords, LidRangeRecords
from pauseproof.routing.tables import DestinationKind, Destinations

I64 = NDArray[np.int64]
NONE = -1

LMC_UNKNOWN = "no input gives an LMC: each port is taken to own its base LID alone"


@dataclass(frozen=True)
class Ports:
    """The ports that own LIDs, [p]: ``host`` or ``switch`` of each, the other being NONE; both where it is not cabled."""

    built: Built

    @cached_property
    def switch(self) -> I64:
        """The switch whose port 0 this is."""
        node = self.built.lid_node.astype(np.int64)
        return np.where(node < self.built.fabric.n_switches, node, NONE)

    @cached_property
    def host(self) -> I64:
        """The host that this port is."""
        fabric, built = self.built.fabric, self.built
        down = fabric.host_down
        width = int(fabric.node_ports.max(initial=0)) + 1
        keys = fabric.link_dst[down].astype(np.int64) * width + fabric.link_dst_port[down]
        wanted = built.lid_node.astype(np.int64) * width + built.lid_port
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = keys[at] == wanted if len(keys) else np.zeros(len(wanted), np.bool_)
        return np.where(found & (self.switch == NONE), at, NONE)

    @cached_property
    def of_guid(self) -> dict[int, int]:
        """Port GUID to index ``p``; switches also by their node GUID."""
        built = self.built
        out = dict(zip(built.fabric.node_guid[built.lid_node].tolist(), range(len(built.lid_node)), strict=True))
        out = {guid: p for guid, p in out.items() if self.switch[p] != NONE}
        return out | {g: p for p, g in enumerate(built.lid_port_guid.tolist()) if g}

    @cached_property
    def host_of_guid(self) -> dict[int, int]:
        """Port GUID to host."""
        return {guid: int(self.host[p]) for guid, p in self.of_guid.items() if self.host[p] != NONE}

    def place(self, p: int) -> Place:
        """Where the LID of port ``p`` was read."""
        file, line = self.built.lid_place[p].tolist()
        return Place(self.built.fabric.files[file], line) if file >= 0 else Place("(cabling)")


@dataclass(frozen=True)
class LidOwners:
    """``lid`` [D] ascending, with the ``host`` or ``switch`` that owns each."""

    lid: I64
    host: I64
    switch: I64
    assumptions: tuple[str, ...]

    def destinations(self) -> Destinations:
        """One column a LID, in the order of LIDs."""
        is_host = self.host != NONE
        kind = np.where(is_host, DestinationKind.HOST, DestinationKind.SWITCH).astype(np.uint8)
        ptr = np.concatenate(([0], np.cumsum(is_host))).astype(np.int64)
        names = [str(lid) for lid in self.lid.tolist()]
        return Destinations(names, kind, self.switch.astype(np.int32), ptr, self.host[is_host].astype(np.int32))


def lid_owners(ports: Ports, ranges: Sequence[LidRangeRecords], tables: Sequence[ForwardingRecords]) -> LidOwners:
    """The owner of every LID. Raises BadInput where two ports own one LID: two fabrics in one input."""
    built = ports.built
    claims = _Claims(ports)
    count = 1 << np.maximum(built.lid_lmc, 0).astype(np.int64)
    p = np.repeat(np.arange(len(count)), count)
    claims.add(built.lid_base[p] + np.arange(len(p)) - np.repeat(np.cumsum(count) - count, count), p, None)
    for record in ranges:
        for guid, first, last, line in zip(record.port_guid, record.first, record.last, record.line, strict=True):
            if (port := ports.of_guid.get(int(guid))) is not None:
                span = np.arange(int(first), int(last) + 1)
                claims.add(span, np.full(len(span), port), Place(record.file, int(line)))
    for table in tables:
        if table.owner_guid is not None:
            lids = np.flatnonzero(table.owner_guid)
            owner_of = np.array([ports.of_guid.get(g, NONE) for g in table.owner_guid[lids].tolist()], np.int64)
            claims.add(lids[owner_of >= 0], owner_of[owner_of >= 0], Place(table.file))
    lid = np.flatnonzero(claims.owner != NONE)
    owner = claims.owner[lid]
    cabled = (ports.host[owner] != NONE) | (ports.switch[owner] != NONE)
    lid, owner = lid[cabled], owner[cabled]
    told = bool((built.lid_lmc != UNKNOWN_LMC).all()) or bool(ranges) or any(t.owner_guid is not None for t in tables)
    return LidOwners(lid, ports.host[owner], ports.switch[owner], () if told else (LMC_UNKNOWN,))


class _Claims:
    """LID to port, each claim checked against the earlier ones."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self.owner: I64 = np.full(1 << 16, NONE, np.int64)

    def add(self, lids: I64, ports: I64, place: Place | None) -> None:
        before = self.owner[lids]
        clash = np.flatnonzero((before != NONE) & (before != ports))
        if len(clash):
            lid, new, old = int(lids[clash[0]]), int(ports[clash[0]]), int(before[clash[0]])
            guids = self.ports.built.lid_port_guid
            raise BadInput.at(
                place or self.ports.place(new),
                f"LID {lid} belongs to port 0x{int(guids[new]):016x} here and to 0x{int(guids[old]):016x} at "
                f"{self.ports.place(old)}; expected the files of one fabric, of one moment",
            )
        self.owner[lids] = ports


def lids_without_owner(owners: LidOwners, tables: Sequence[ForwardingRecords]) -> tuple[Remark, ...]:
    """Rows that lead somewhere for LIDs that nobody owns: one remark, since no pair has such a destination."""
    routed: dict[int, Place] = {}
    for table in tables:
        known = np.zeros(table.out_port.shape[1], np.bool_)
        known[owners.lid[owners.lid < len(known)]] = True
        stray = np.flatnonzero(~known)
        some = stray[(table.out_port[:, stray] != table.no_row).any(axis=0)]
        for lid in some[:3].tolist():
            block = int(np.flatnonzero(table.out_port[:, lid] != table.no_row)[0])
            routed.setdefault(lid, table.line_of(block, lid))
    if not routed:
        return ()
    lids = sorted(routed)
    message = f"the tables have rows for LID {lids[0]}" + (f" and others ({len(lids)} seen)" if len(lids) > 1 else "")
    places = tuple(routed[lid] for lid in lids)
    return (Remark("lid-without-owner", f"{message}, which no port in the cabling owns", f"lid/{lids[0]}", places),)
