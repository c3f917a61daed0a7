"""A snapshot of an InfiniBand subnet to a :class:`Network`: owners of LIDs, merged tables, lanes, and who sends what."""

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.cabling import build_fabric
from pauseproof.readers.lane_maps import lanes_from_records
from pauseproof.readers.snapshot import Snapshot
from pauseproof.routing.adaptive import add_adaptive
from pauseproof.routing.ask import traffic_classes
from pauseproof.routing.choices import PortChoices
from pauseproof.routing.lids import Ports, lid_owners, lids_without_owner
from pauseproof.routing.merge import merge_tables
from pauseproof.routing.multicast import add_multicast
from pauseproof.routing.network import Network
from pauseproof.routing.path_labels import path_labels
from pauseproof.routing.tables import ChoiceTable


def infiniband_network(snapshot: Snapshot, name: str) -> Network:
    """Assemble the network. Raises BadInput where files contradict each other in a way that leaves nothing to decide."""
    _refuse_halves(snapshot, name)
    built = build_fabric(name, snapshot.cabling)
    fabric = built.fabric
    ports = Ports(built)
    owners = lid_owners(ports, snapshot.lid_ranges, snapshot.forwarding)
    if not len(owners.lid):
        message = "this cabling has no LIDs; add guid2lid, ibnetdiscover output or opensm-subnet.lst of the running fabric"
        raise BadInput.at(Place(snapshot.cabling[0].file), message)
    choices = PortChoices(fabric)
    switch_of_lid = {int(lid): int(s) for lid, s in zip(owners.lid, owners.switch, strict=True) if s >= 0}
    merged = merge_tables(fabric, choices, snapshot.forwarding, owners.lid, switch_of_lid)
    value, far_remarks = add_adaptive(fabric, choices, merged, snapshot.adaptive, owners.lid)
    destinations = owners.destinations()
    value, destinations, tree_assumptions = add_multicast(fabric, choices, value, destinations, snapshot.multicast)
    labels, label_remarks = path_labels(fabric, ports, owners, destinations, snapshot.path_labels)
    lanes = lanes_from_records(
        fabric,
        snapshot.lane_maps,
        ports.host_of_guid,
        switch_of_port_guid=_switch_guids(ports),
        largest_sent=_largest_sl(labels),
    )
    lid_of = owners.lid.tolist()
    table = ChoiceTable(value, *choices.arrays(), place_of=lambda s, d: merged.place(s, lid_of[d]) if d < len(lid_of) else None)
    return Network(
        fabric,
        destinations,
        table,
        lanes.lanes,
        traffic_classes(fabric, destinations, labels),
        (*owners.assumptions, *lanes.assumptions, *tree_assumptions),
        (
            *snapshot.remarks,
            *built.remarks,
            *merged.remarks,
            *far_remarks,
            *lanes.remarks,
            *label_remarks,
            *lids_without_owner(ports, owners, snapshot.forwarding),
        ),
        sum(1 for found in merged.source if found),
        inputs=snapshot.inputs,
        host_guids=_host_guids(ports),
    )


def _host_guids(ports: Ports) -> NDArray[np.uint64]:
    guids = np.zeros(ports.built.fabric.n_hosts, np.uint64)
    cabled = np.flatnonzero(ports.host >= 0)
    guids[ports.host[cabled]] = ports.built.lid_port_guid[cabled]
    return guids


def _refuse_halves(snapshot: Snapshot, name: str) -> None:
    """Cabling without tables, tables without cabling, or neither."""
    if not snapshot.forwarding and not snapshot.adaptive and not snapshot.cabling:
        files = [f.path for f in snapshot.inputs if f.format]
        message = "neither cabling nor forwarding tables; expected both, and files such as this beside them"
        raise BadInput.at(Place(files[0] if files else name), message)
    if not snapshot.forwarding and not snapshot.adaptive:
        place = Place(snapshot.cabling[0].file if snapshot.cabling else name)
        raise BadInput.at(place, "cabling, but no forwarding tables; expected opensm.fdbs, opensm-lfts.dump or dump_fts output")
    if not snapshot.cabling:
        message = "forwarding tables, but no cabling; expected opensm-subnet.lst, ibnetdiscover output or .db_csv"
        raise BadInput.at(Place(snapshot.forwarding[0].file if snapshot.forwarding else name), message)


def _switch_guids(ports: Ports) -> dict[int, int]:
    return {guid: int(ports.switch[p]) for guid, p in ports.of_guid.items() if ports.switch[p] >= 0}


def _largest_sl(labels: NDArray[np.uint32] | None) -> int:
    """The largest SL of any path; without path SLs every pair is on SL 0."""
    return 0 if labels is None else max(int(np.bitwise_or.reduce(labels, axis=None, initial=1)).bit_length() - 1, 0)
