"""Measured egress samples against a fabric: did each packet leave by the port that the device's tables and settings say?

A sample is held against the table row of its device for its destination, and the hash of the group there. It *agrees* where
the port is the one that is said, is *refuting* where the port is another, or none of those that are possible, and is *open*
where what is known leaves several.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from pauseproof.hashing.choosing import Chosen, choose
from pauseproof.hashing.ends import Ends
from pauseproof.hashing.headers import COLUMNS_OF
from pauseproof.hashing.samples import headers_of
from pauseproof.hashing.settings import FabricHashes, hashes_of
from pauseproof.readers.hash_samples import Sample, SampleRecords
from pauseproof.routing.network import Network
from pauseproof.routing.tables import ChoiceKind, Route

NO_SWITCH = "the fabric has no switch of that name"
NO_GROUP = "its table has no links for the destination"
NO_PORT = "it has no port of that name"


class Refuted(NamedTuple):
    """The index of a sample, and the ports that were possible instead."""

    sample: int
    ports: tuple[str, ...]


@dataclass(frozen=True)
class Held:
    """The samples of one device. ``settings`` are the words of the hashes that decided; ``open`` says why, with how many."""

    device: str
    settings: tuple[str, ...]
    agree: int
    refuted: tuple[Refuted, ...]
    open: tuple[tuple[str, int], ...]

    @property
    def undecided(self) -> int:
        """How many samples say nothing."""
        return sum(number for _, number in self.open)


def held(network: Network, records: SampleRecords) -> list[Held]:
    """Each device's samples; indices are those among the samples of the device."""
    families = sorted({sample.family for sample in records.samples})
    by_family = {family: _Holder(hashes_of(network, family), given_fields(records, family)) for family in families}
    by_device: dict[str, list[Sample]] = {}
    for sample in records.samples:
        by_device.setdefault(sample.device, []).append(sample)
    return [_held(device, by_device[device], by_family) for device in sorted(by_device)]


def seeds_of(network: Network, records: SampleRecords) -> list[int]:
    """The seeds that the fabric says of the devices of the samples, so that models are tried with them too."""
    names = list(network.fabric.node_name)[: network.fabric.n_switches]
    devices = sorted({sample.device for sample in records.samples} & set(names))
    families = sorted({sample.family for sample in records.samples})
    settings = [
        setting
        for family in families
        for device in devices
        for setting in (
            hashes_of(network, family).ecmp(names.index(device)),
            hashes_of(network, family).lag(names.index(device)),
        )
    ]
    return sorted({setting.seed for setting in settings if setting.seed is not None})


def given_fields(records: SampleRecords, family: int) -> frozenset[str]:
    """The hash fields that the file says something of. Protocol and destination port are those of RoCEv2 where it does not;
    IPv4 packets have no flow label.
    """
    known = {"sip_high", "sip_low", "dip_high", "dip_low", *records.columns, "proto", "dport"}
    known |= {"flow_label"} if family == 4 else set()
    return frozenset(field for field, columns in COLUMNS_OF.items() if known.issuperset(columns))


def _held(device: str, samples: list[Sample], holders: "dict[int, _Holder]") -> Held:
    agree, refuted, reasons, settings = 0, list[Refuted](), dict[str, int](), dict[str, None]()
    for i, sample in enumerate(samples):
        found = holders[sample.family].ports(sample)
        settings |= dict.fromkeys(found.settings)
        if found.why:
            reasons[found.why[0]] = reasons.get(found.why[0], 0) + 1
        elif sample.egress in found.ports:
            agree += 1
        else:
            refuted.append(Refuted(i, found.ports))
    return Held(device, tuple(settings), agree, tuple(refuted), tuple(sorted(reasons.items())))


class _Possible(NamedTuple):
    ports: tuple[str, ...]
    why: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


class _Holder:
    """Answers for packets of one family."""

    def __init__(self, hashes: FabricHashes, given: frozenset[str]) -> None:
        self.hashes, self.network, self.given = hashes, hashes.network, given
        self.ends = Ends(self.network, hashes.family)
        fabric = self.network.fabric
        self.switch = {fabric.node_name[s]: s for s in range(fabric.n_switches)}
        self.columns: dict[int, tuple[int, int] | str] = {}

    def ports(self, sample: Sample) -> _Possible:
        """The ports by which the sample's packet may leave; with why where they are not known, or cannot be compared."""
        s = self.switch.get(sample.device)
        if s is None:
            return _Possible((), (NO_SWITCH,))
        fabric = self.network.fabric
        names = {fabric.port_name(s, p) for p in range(1, int(fabric.node_ports[s]) + 1)}
        if sample.egress not in names:
            return _Possible((), (NO_PORT,))
        target = self._target(sample)
        if isinstance(target, str):
            return _Possible((), (target,))
        route = self.network.routes.route(s, target[0])
        links = self._links(route, target[1])
        if not links:
            return _Possible((), (NO_GROUP,))
        chosen = self._chosen(s, route, links, sample)
        ports = tuple(sorted(fabric.port_name(s, int(fabric.link_src_port[link])) for link in chosen.links))
        settings = tuple(f"{pick.stage.name} {pick.stage.setting.words}" for pick in chosen.picks)
        open_ = chosen.why if sample.egress in ports else ()
        return _Possible(ports, open_, settings)

    def _target(self, sample: Sample) -> tuple[int, int] | str:
        """(column, host) of the destination, or why there is none."""
        if sample.dip not in self.columns:
            try:
                end = self.ends.end(str(IPv4Address(sample.dip) if sample.family == 4 else IPv6Address(sample.dip)))
                self.columns[sample.dip] = (end.column, end.host)
            except ValueError as error:
                self.columns[sample.dip] = str(error)
        return self.columns[sample.dip]

    def _links(self, route: Route, host: int) -> tuple[int, ...]:
        fabric = self.network.fabric
        if route.kind is ChoiceKind.DELIVER:
            return tuple(sorted(l for l in route.links if fabric.link_dst[l] == fabric.host_node[host]))
        return tuple(sorted(set(route.links))) if route.kind in (ChoiceKind.HASHED, ChoiceKind.ADAPTIVE) else ()

    def _chosen(self, s: int, route: Route, links: tuple[int, ...], sample: Sample) -> Chosen:
        if len(links) == 1:
            return Chosen(links)
        return choose(self.hashes.of_route(s, route, links), headers_of([sample]), self.given)
