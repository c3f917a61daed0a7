"""Dumps of Ethernet switches to a :class:`Network`: who is a switch, where the hosts are, what every table says of them.

The traffic is that of all hosts to all hosts, in every direction that has a lossless class: data, and the acknowledgements,
congestion notifications and clear-to-sends that come back, which between all pairs are pairs too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.declared import Declarations
from pauseproof.readers.ethernet_cabling import ethernet_fabric
from pauseproof.readers.ethernet_names import names_in_use
from pauseproof.routing.ask import HOSTS
from pauseproof.routing.choice_bits import rows_of_choices
from pauseproof.routing.class_assumptions import counted
from pauseproof.routing.class_facts import ClassFacts
from pauseproof.routing.class_tunnels import Tunnel
from pauseproof.routing.ethernet_columns import destinations_of
from pauseproof.routing.ethernet_devices import Address, Device, gather
from pauseproof.routing.ethernet_devices import Network as AnyNetwork
from pauseproof.routing.ethernet_entries import Entries, tunnel_of
from pauseproof.routing.ethernet_filled import Filled
from pauseproof.routing.ethernet_floods import add_floods
from pauseproof.routing.ethernet_hosts import (
    Cabled,
    attached_hosts,
    subnets_without_ports,
    switch_names,
    uncabled_links,
)
from pauseproof.routing.ethernet_records import (
    DUMPED,
    EthernetRecords,
    check_complete,
    chosen_vrf,
    interfaces_by_device,
    next_hop_orders,
    tables_missing,
)
from pauseproof.routing.ethernet_targets import Targets, targets_of
from pauseproof.routing.ethernet_tunnels import Entering, Tunnels, check_standby, end_point, standby_columns
from pauseproof.routing.ethernet_uncabled import stand_in, stand_in_cables
from pauseproof.routing.ethernet_unread import MOST, unread_hosts, unread_subnets
from pauseproof.routing.fine_groups import with_fine_groups
from pauseproof.routing.hash_facts import HashFacts, dumped_facts
from pauseproof.routing.host_prefixes import HostPrefixes
from pauseproof.routing.lossless import LosslessClasses, lossless_classes
from pauseproof.routing.native_names import Names
from pauseproof.routing.network import Network
from pauseproof.routing.next_hops import NextHops, Ports
from pauseproof.routing.traffic import Traffic

MOST_LABELS = 32  # bits of a word
HASHED = "switches hash each flow to one next hop of its group"
RESOLVED = "every host's address is resolved: no lossless packet is flooded (assume: incomplete-arp: drop)"
FLOODED = "hosts may be silent: packets for them are flooded in their VLAN (assume: incomplete-arp: flood)"
ON_SUBNETS = "a host may have any address of the connected subnets of its switch port"
ONCE = "a packet that comes out of a tunnel does not enter another"
COPIED = "a tunnel without maps of its own carries the DSCP of the packet inside"
BEHIND = "one host stands for all that is behind {}, whose table was not read"
NOBODY_BEHIND = "no host is taken to be behind {}, whose table was not read"
MORE_BEHIND = "of the prefixes behind {} {} are covered, the others are not"
NO_ADDRESS = "nothing is sent to {}: no connected subnet of their ports was read"
EITHER = "the mux of each server may be in either position"


@dataclass(frozen=True)
class _Cabling:
    """The fabric, what was read of each device and of each switch, and the subnets behind switches without a table."""

    vrf: str
    devices: Mapping[str, Device]
    of_switch: Sequence[Device | None]
    unread: Mapping[str, Sequence[AnyNetwork]]
    fabric: Fabric
    remarks: tuple[Remark, ...]


def ethernet_network(records: EthernetRecords, name: str) -> Network:
    """Assemble the network. Raises BadInput where nothing can be decided."""
    records = replace(records, routes=with_fine_groups(records.routes, records.configs))
    cabling = _cabling(records, name)
    fabric, devices = cabling.fabric, cabling.of_switch
    classes = lossless_classes(fabric, records.configs, records.declared)
    ends = _end_points(devices, classes, records)
    targets = targets_of(fabric, devices, records, classes.lanes, ends, cabling.unread)
    hops = NextHops(Ports(fabric), cabling.devices, next_hop_orders(records))
    entries = Entries(fabric, devices, targets.tables, targets.columns, hops)
    filled = entries.filled()
    filled = filled.without_twins(_standing_by(filled, fabric, classes.tunnels, targets))
    _dig_tunnels(filled, fabric, devices, classes, records.declared, entries, targets)
    flooding = records.declared.incomplete_arp == "flood"
    flooded = add_floods(filled, fabric, devices, entries.hops.ports) if flooding else 0
    table, destinations = filled.table(), destinations_of(filled.columns)
    own = frozenset(address for device in devices if device is not None for address in device.own)
    return Network(
        fabric,
        destinations,
        rows_of_choices(table, destinations, fabric) or table,
        classes.lanes,
        {HOSTS: _everyone(fabric, filled, classes, records)},
        (
            *_assumptions(records, cabling, flooded > 0, bool(ends), bool(targets.muxed)),
            *_left_out(cabling, filled),
            *classes.assumptions,
        ),
        (*cabling.remarks, *entries.remarks, *entries.hops.remarks(), *classes.remarks),
        sum(1 for device in devices if device is not None and device.tables),
        notes={"routing": DUMPED, "vrf": cabling.vrf, "ttl": records.declared.ttl},
        groups=hops.groups.by_switch({name: s for s, name in enumerate(fabric.node_name[: fabric.n_switches])}),
        hashes=_hash_facts(fabric, records),
        class_facts=ClassFacts(tuple(records.configs), records.declared),
        addresses=HostPrefixes(
            targets.tables.forest,
            tuple(column.node for column in filled.columns),
            own,
            tuple(column.twins for column in filled.columns),
        ),
    )


def _hash_facts(fabric: Fabric, records: EthernetRecords) -> HashFacts:
    """What was said of hashes. Raises BadInput for words that mean no switch."""
    names = Names(fabric, None)
    facts = dumped_facts(fabric, records.configs, records.sysctls, records.declared, names)
    refuse_if(names.problems)
    return facts


def _cabling(records: EthernetRecords, name: str) -> _Cabling:
    declared, aliases = records.declared, records.aliases
    vrf = chosen_vrf(records, declared)
    devices = gather(records.routes, records.addresses, interfaces_by_device(records, declared), vrf)
    cabled = Cabled.of(records.cables, names_in_use(records.cables, devices.keys() | aliases.keys(), aliases))
    check_complete(records, devices, cabled, name)
    switches = switch_names(devices, cabled, declared.hosts)
    attached = attached_hosts(devices, cabled, declared.hosts)
    outside = stand_in_cables(devices, cabled, attached)
    switches |= {stand_in(devices, cabled)} if outside else set()
    unread = unread_subnets(devices, cabled.joined(outside), switches)
    on_ports = {port: host.name for port, host in {**unread_hosts(unread), **attached}.items()}
    cables = (*records.cables, *outside)
    built = ethernet_fabric(name, cables, switches=switches, extra_ports={}, hosts=on_ports, aliases=aliases)
    if not built.fabric.n_hosts:
        message = "no port leads to a host; expected cabled servers, uncabled ports with a connected subnet, or `hosts:`"
        raise BadInput.at(Place(records.routes[0].file), message)
    of_switch = [devices.get(name) for name in list(built.fabric.node_name)[: built.fabric.n_switches]]
    loose = uncabled_links(devices, cabled) + subnets_without_ports(devices)
    remarks = (*built.remarks, *loose, *tables_missing(built.fabric, of_switch, records, stand_in(devices, cabled)))
    return _Cabling(vrf, devices, of_switch, unread, built.fabric, remarks)


def _end_points(devices: Sequence[Device | None], classes: LosslessClasses, records: EthernetRecords) -> list[Address]:
    """The outer addresses of all tunnels that routes or declarations lead into."""
    groups = (g for device in devices if device is not None for table in device.tables for g in table.groups)
    found = {address: None for group in groups if (address := tunnel_of(group)) is not None}
    used = _in_use(classes.tunnels, any("MUX_CABLE" in config.tables for config in records.configs))
    found.update({end_point(tunnel, devices, records.declared.file): None for tunnel in used})
    return list(found)


def _standing_by(filled: Filled, fabric: Fabric, tunnels: Sequence[Tunnel], targets: Targets) -> list[tuple[int, ...]]:
    """The tunnels that each column is declared to be behind. Raises BadInput for a tunnel with nobody behind it."""
    prefixes = [targets.tables.forest.network(column.node) for column in filled.columns]
    out: list[tuple[int, ...]] = [()] * len(prefixes)
    for i, tunnel in enumerate(tunnels):
        check_standby(tunnel, filled.columns, prefixes, fabric)
        for d in standby_columns(tunnel, filled.columns, prefixes, fabric):
            out[d] = (*out[d], i)
    return out


def _dig_tunnels(
    filled: Filled,
    fabric: Fabric,
    devices: Sequence[Device | None],
    classes: LosslessClasses,
    declared: Declarations,
    entries: Entries,
    targets: Targets,
) -> None:
    """Send into tunnels what routes and declarations send there."""
    outer = _outer(filled, targets)
    entering: dict[tuple[int, int], Entering] = {}
    for address in entries.end_points:
        for s in range(fabric.n_switches):
            for d in filled.having(s, entries.into_tunnel(address)):
                entering[s, d] = Entering(s, d, address)
    prefixes = [targets.tables.forest.network(column.node) for column in filled.columns]
    for tunnel in _in_use(classes.tunnels, bool(targets.muxed)):
        address = end_point(tunnel, devices, declared.file)
        if tunnel.standby:
            behind = standby_columns(tunnel, filled.columns, prefixes, fabric)
        elif targets.muxed:
            behind = _other_positions(tunnel, filled, fabric, targets)
        else:
            behind = [
                d for d in _at_the_far_end(tunnel, filled, fabric) if entries.ends_on_subnet(tunnel.at, filled.columns[d])
            ]
        for d in behind:
            entering[tunnel.at, d] = Entering(tunnel.at, d, address)
    Tunnels(fabric, devices, classes.lanes, classes.tunnels, outer).enter_all(filled, list(entering.values()))


def _in_use(tunnels: Sequence[Tunnel], muxed: bool) -> list[Tunnel]:
    """Tunnels that packets enter for servers elsewhere: declared ones, those of either position of a mux, those to a peer.

    Where nothing says which servers are behind the peer, it is those of the switch's own subnets that only the peer has.
    """
    return [tunnel for tunnel in tunnels if tunnel.standby or (tunnel.to >= 0 and (muxed or tunnel.address))]


def _other_positions(tunnel: Tunnel, filled: Filled, fabric: Fabric, targets: Targets) -> list[int]:
    """The columns of servers whose mux is on the side of the switch at the far end."""
    return [d for d in _at_the_far_end(tunnel, filled, fabric) if filled.columns[d].node in targets.muxed]


def _at_the_far_end(tunnel: Tunnel, filled: Filled, fabric: Fabric) -> list[int]:
    """The columns of servers that only the switch at the far end has."""
    return [
        d
        for d, column in enumerate(filled.columns)
        if column.on and all(int(fabric.link_dst[fabric.host_up[h]]) == tunnel.to for h in column.members)
    ]


def _outer(filled: Filled, targets: Targets) -> Mapping[Address, int]:
    return {
        targets.tables.forest.address(column.node): d
        for d, column in enumerate(filled.columns)
        if not column.members and not column.on
    }


def _everyone(fabric: Fabric, filled: Filled, classes: LosslessClasses, records: EthernetRecords) -> Traffic:
    """All hosts to all hosts. Raises BadInput where no direction has a lossless class, or more than can be told apart."""
    hosts, none = np.ones(fabric.n_hosts, np.bool_), np.zeros(fabric.n_switches, np.bool_)
    on = np.array([column.on for column in filled.columns], np.bool_)
    if not on.any():
        message = "no host has an address as far as was read: nothing is sent; expected the member ports of VLANs, or `hosts:`"
        raise BadInput.at(Place(records.routes[0].file), message)
    labels = sorted({k for direction in classes.sends.values() for k in direction})
    if not labels:
        message = "no DSCP of the traffic is lossless anywhere: nothing can pause; expected a lossless class, or `traffic:`"
        raise BadInput.at(Place(records.configs[0].file if records.configs else records.routes[0].file), message)
    if labels[-1] >= MOST_LABELS:
        message = (
            f"hosts send with too many DSCPs, {len(labels)}; expected up to {MOST_LABELS}: name those of the job by `traffic:`"
        )
        raise BadInput.at(Place(records.declared.file or records.routes[0].file), message)
    data = classes.sends.get("data") or tuple(labels)
    if len(labels) == 1:
        return Traffic(HOSTS, hosts, hosts, none, on, labels[0])
    bits = np.full((fabric.n_hosts, len(on)), sum(1 << k for k in labels), np.uint32)
    return Traffic(HOSTS, hosts, hosts, none, on, data[0], bits)


def _assumptions(records: EthernetRecords, cabling: _Cabling, flooded: bool, tunnels: bool, muxed: bool) -> tuple[str, ...]:
    others = sorted({record.vrf for record in records.routes} - {cabling.vrf})
    out = [HASHED, FLOODED if flooded else RESOLVED, ON_SUBNETS]
    out += [f"only VRF {cabling.vrf} is covered; also read: {', '.join(others)}"] if others else []
    out += [ONCE, COPIED] if tunnels else []
    out += [EITHER] if muxed else []
    return (*out, *(BEHIND.format(name) for name in cabling.unread))


def _left_out(cabling: _Cabling, filled: Filled) -> Iterator[str]:
    """The hosts that are not covered, or not in full."""
    fabric = cabling.fabric
    switches = zip(list(fabric.node_name)[: fabric.n_switches], cabling.of_switch, strict=True)
    silent = [name for name, device in switches if (device is None or not device.tables) and name not in cabling.unread]
    if silent:
        yield NOBODY_BEHIND.format(counted(silent))
    yield from (MORE_BEHIND.format(name, MOST) for name, networks in cabling.unread.items() if len(networks) == MOST)
    reached = {h for column in filled.columns for h in column.members}
    nowhere = sorted({fabric.host(h).name for h in range(fabric.n_hosts) if h not in reached})
    if nowhere:
        yield NO_ADDRESS.format(counted(nowhere, "hosts"))
