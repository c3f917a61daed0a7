"""What was read of one Ethernet fabric, and whether it can be one: VRFs, names, tables that are missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.readers import appl_db
from pauseproof.readers.declared import Declarations
from pauseproof.readers.roce_records import AddressRecords, CableRecords, ConfigDb, RouteRecords, SysctlRecords
from pauseproof.readers.suggest import expected_one_of
from pauseproof.routing.ethernet_devices import DEFAULT_VRF, Device
from pauseproof.routing.ethernet_hosts import Cabled
from pauseproof.routing.groups import SortKey, sonic_order
from pauseproof.routing.interfaces import Interfaces, interfaces_of

DUMPED = "dumped"  # what Network.notes["routing"] says of tables that switches were asked for
_SHOWN = 5


@dataclass(frozen=True)
class EthernetRecords:
    """What was read of one Ethernet fabric, by kind."""

    cables: Sequence[CableRecords] = ()
    routes: Sequence[RouteRecords] = ()
    addresses: Sequence[AddressRecords] = ()
    configs: Sequence[ConfigDb] = ()
    declarations: Sequence[Declarations] = ()
    sysctls: Sequence[SysctlRecords] = ()

    @property
    def declared(self) -> Declarations:
        """What was declared. Raises BadInput where two files declare."""
        if len(self.declarations) > 1:
            first, second = self.declarations[:2]
            raise BadInput.at(Place(second.file), f"a second declaration beside {first.file}; expected one")
        return self.declarations[0] if self.declarations else Declarations("")

    @property
    def aliases(self) -> dict[str, dict[str, str]]:
        """Device -> alias -> port, from the PORT tables of configurations."""
        return {
            config.device: {row["alias"]: port for port, row in config.tables.get("PORT", {}).items() if row.get("alias")}
            for config in self.configs
        }


def chosen_vrf(records: EthernetRecords, declared: Declarations) -> str:
    """The VRF that the verdict is about: what is declared, else the default one, else the only one. Raises BadInput."""
    found = sorted({record.vrf for record in records.routes})
    if declared.vrf:
        if found and declared.vrf not in found:
            message = f"no table of VRF {declared.vrf!r} was read; {expected_one_of(declared.vrf, found)}"
            raise BadInput.at(Place(declared.file, declared.place.line), message)
        return declared.vrf
    if DEFAULT_VRF in found or not found:
        return DEFAULT_VRF
    if len(found) > 1:
        message = f"tables of VRFs {', '.join(found)}, none of them the default one; name one by `vrf:` in pauseproof.yaml"
        raise BadInput.at(Place(records.routes[0].file), message)
    return found[0]


def interfaces_by_device(records: EthernetRecords, declared: Declarations) -> dict[str, Interfaces]:
    """What the interfaces of each device are made of, by its configuration and by what was declared."""
    names = {config.device for config in records.configs} | {device for device, _ in (*declared.lags, *declared.vlans)}
    out = {}
    for name in sorted(names):
        bundles, vlans = (
            {interface: tuple(w.text for w in words) for (device, interface), words in lines.items() if device == name}
            for lines in (declared.lags, declared.vlans)
        )
        out[name] = interfaces_of(tuple(c for c in records.configs if c.device == name), Interfaces(bundles, vlans))
    return out


def next_hop_orders(records: EthernetRecords) -> dict[str, SortKey]:
    """How devices sort next hops anew, whatever the order of the dump: those of SONiC as orchagent does."""
    of_database = {record.device for record in records.routes if record.format == appl_db.NAME}
    return dict.fromkeys(of_database | {config.device for config in records.configs}, sonic_order)


def check_complete(records: EthernetRecords, devices: Mapping[str, Device], cabled: Cabled, name: str) -> None:
    """Refuse what cannot be one fabric: no tables, no cables, or not one name in common. Raises BadInput."""
    if not records.routes:
        files = [r.file for r in records.cables] + [r.file for r in records.configs] + [r.file for r in records.addresses]
        place = Place(next(iter(files), name))
        raise BadInput.at(place, "cabling, but no forwarding tables; expected show ip route json, ip -j route, or their like")
    place = Place(records.routes[0].file)
    if not records.cables:
        raise BadInput.at(place, "forwarding tables, but no cabling; expected LLDP output, layer1_topology.json, or their like")
    _check_declared(records, cabled)
    tabled, known = sorted(name for name, device in devices.items() if device.tables), sorted(cabled.devices)
    if not cabled.devices.intersection(tabled):
        message = (
            f"tables of {_few(tabled)}, but the cabling speaks of {_few(known)}; expected the same names"
            " (a dump is named by its file, up to the first dot)"
        )
        raise BadInput.at(place, message)


def _check_declared(records: EthernetRecords, cabled: Cabled) -> None:
    """Refuse bundles and VLANs of a device that nothing else speaks of: the one that was meant would go without."""
    declared = records.declared
    known = cabled.devices | {r.device for r in records.routes} | {r.device for r in records.addresses}
    known |= {config.device for config in records.configs}
    for lines in (declared.lags, declared.vlans):
        for (device, interface), words in lines.items():
            if device not in known:
                place = words[0].place if words else declared.place
                message = f"{interface} of {device!r}, which no other input speaks of; {expected_one_of(device, known)}"
                raise BadInput.at(place, message)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "") if names else "nothing"


def tables_missing(fabric: Fabric, devices: Sequence[Device | None], records: EthernetRecords, stand_in: str) -> list[Remark]:
    """Switches without a table, tables that were cut off, and tables of switches without a cable, save to ``stand_in``."""
    out = []
    real = [name != stand_in for name in list(fabric.node_name)[: fabric.n_switches]]
    linked = {a for a, b in zip(fabric.link_src.tolist(), fabric.link_dst.tolist(), strict=True) if b < len(real) and real[b]}
    for s, device in enumerate(devices):
        name = fabric.node_name[s]
        if not real[s]:
            continue
        if device is None or not device.tables:
            out.append(Remark("table-missing", f"{name} is cabled, but no table of it was read; its rows are unknown", name))
        elif s not in linked and sum(real) > 1:
            message = f"{name} has a table, but no cable to another switch was read; its hosts reach nobody else"
            out.append(Remark("switch-without-cables", message, name, (Place(device.tables[0].file),)))
    for record in records.routes:
        if not record.complete:
            message = f"the table of {record.device} ends before its last row; prefixes behind the cut are unknown"
            out.append(Remark("table-truncated", message, f"{record.device}/{record.vrf}", (Place(record.file),)))
    return out
