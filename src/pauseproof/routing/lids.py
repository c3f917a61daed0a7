"""Who owns which LID: the destinations of an InfiniBand subnet, one column a LID.

A port owns ``base .. base + 2^LMC - 1``. The LMC comes from the cabling where it has one, else from guid2lid, else from the
owners that the comments of the table dumps give, else from the rows that hand further LIDs to a host. A switch's port 0 owns
its LID; every other cabled port is a host.
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
LMC_SEEN = "no input gives an LMC: LIDs after its own that the tables hand to a host are taken to belong to it"
MOST_LIDS = 1 << 7  # LMC is three bits


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

    @cached_property
    def _switch_of_guid(self) -> dict[int, int]:
        fabric = self.built.fabric
        return dict(zip(fabric.node_guid[: fabric.n_switches].tolist(), range(fabric.n_switches), strict=True))

    @cached_property
    def _switch_of_lid(self) -> dict[int, int]:
        at = np.flatnonzero(self.switch != NONE)
        return dict(zip(self.built.lid_base[at].tolist(), self.switch[at].tolist(), strict=True))

    def switch_of(self, guid: int, lid: int) -> int:
        """The switch that a table names by GUID, or by LID where the GUID is 0; NONE where it is not cabled."""
        return self._switch_of_guid.get(guid, NONE) if guid else self._switch_of_lid.get(lid, NONE)

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
    told = bool((built.lid_lmc != UNKNOWN_LMC).all()) or bool(ranges) or any(t.owner_guid is not None for t in tables)
    seen = not told and _handed_over(claims, tables)
    lid = np.flatnonzero(claims.owner != NONE)
    owner = claims.owner[lid]
    cabled = (ports.host[owner] != NONE) | (ports.switch[owner] != NONE)
    lid, owner = lid[cabled], owner[cabled]
    assumptions = () if told else (LMC_SEEN if seen else LMC_UNKNOWN,)
    return LidOwners(lid, ports.host[owner], ports.switch[owner], assumptions)


def _handed_over(claims: "_Claims", tables: Sequence[ForwardingRecords]) -> bool:
    """Claim, for each host, the LIDs soon after its own that nobody owns and that its switch sends out of its port. Any?"""
    ports, fabric = claims.ports, claims.ports.built.fabric
    cabled = np.flatnonzero(ports.host != NONE)
    port_of_host = dict(zip(ports.host[cabled].tolist(), cabled.tolist(), strict=True))
    base = ports.built.lid_base.astype(np.int64)
    before = claims.owner.copy()
    for table in tables:
        nobodys = np.flatnonzero(before[: table.out_port.shape[1]] == NONE)
        nobodys = nobodys[(table.out_port[:, nobodys] != table.no_row).any(axis=0)]
        for block in range(len(table.switch_guid) if len(nobodys) else 0):
            s = ports.switch_of(int(table.switch_guid[block]), int(table.switch_lid[block]))
            if s == NONE:
                continue
            out = table.out_port[block, nobodys].astype(np.int64)
            link = np.where(out <= fabric.max_radix, fabric.out_link[s, np.minimum(out, fabric.max_radix)], NONE)
            host = np.where(link != NONE, fabric.host_of_link[link], NONE)
            p = np.array([port_of_host.get(h, NONE) for h in host.tolist()], np.int64)
            mine = (p != NONE) & (nobodys > base[p]) & (nobodys < base[p] + MOST_LIDS)
            claims.owner[nobodys[mine]] = p[mine]
    return bool((claims.owner != before).any())


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


def lids_without_owner(ports: Ports, owners: LidOwners, tables: Sequence[ForwardingRecords]) -> tuple[Remark, ...]:
    """Rows that lead somewhere for LIDs that nobody owns: one remark, since no pair has such a destination.

    Where such a row leads out of a port without a cable, the cabling may lack the cable and the owner: a remark a switch.
    """
    routed: dict[int, Place] = {}
    gone: dict[int, Remark] = {}
    for table in tables:
        known = np.zeros(table.out_port.shape[1], np.bool_)
        known[owners.lid[owners.lid < len(known)]] = True
        stray = np.flatnonzero(~known)
        some = stray[(table.out_port[:, stray] != table.no_row).any(axis=0)]
        for block in range(len(table.switch_guid) if len(some) else 0):
            _note_dead_ports(ports, table, block, some, gone)
        for lid in some[:3].tolist():
            block = int(np.flatnonzero(table.out_port[:, lid] != table.no_row)[0])
            routed.setdefault(lid, table.line_of(block, lid))
    if not routed:
        return ()
    lids = sorted(routed)
    message = f"the tables have rows for LID {lids[0]}" + (f" and others ({len(lids)} seen)" if len(lids) > 1 else "")
    places = tuple(routed[lid] for lid in lids)
    remark = Remark("lid-without-owner", f"{message}, which no port in the cabling owns", f"lid/{lids[0]}", places)
    return (remark, *(gone[s] for s in sorted(gone)))


def _note_dead_ports(ports: Ports, table: ForwardingRecords, block: int, lids: I64, gone: dict[int, Remark]) -> None:
    fabric = ports.built.fabric
    s = ports.switch_of(int(table.switch_guid[block]), int(table.switch_lid[block]))
    if s == NONE or s in gone:
        return
    out = table.out_port[block, lids].astype(np.int64)
    dead = np.flatnonzero(
        (out <= fabric.node_ports[s]) & (fabric.out_link[s, np.minimum(out, fabric.max_radix)] < 0) & (out > 0)
    )
    if len(dead):
        lid, port = int(lids[dead[0]]), int(out[dead[0]])
        more = f" and {len(dead) - 1} more" if len(dead) > 1 else ""
        message = (
            f"{fabric.node_name[s]} sends packets for LID {lid}{more} out of port {port}, which has no cable in the input,"
            " and no port in the input owns the LID: the cabling lacks a cable, or is younger than the tables"
        )
        gone[s] = Remark("route-to-dead-port", message, f"{fabric.identity(s)}/{port}", (table.line_of(block, lid),))
