"""The profiles of the ports of a SONiC switch, from its configuration; and the maps of its tunnels.

A port's own row of PORT_QOS_MAP overrides the row ``global``. Where no map is given: DSCPs are in traffic class 0, a traffic
class has the queue and the priority group of its number, and so have PFC priorities; where a map has no row for a value: 0. A
group without a row in BUFFER_PG is not lossy for that (the rows of lossless groups are made when a port comes up).

Sources: sonic-yang-models; the HLD "DSCP remapping for tunnel traffic" of sonic-net/SONiC.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pauseproof.fabric.places import Place, Problem
from pauseproof.readers.roce_records import ConfigDb
from pauseproof.readers.suggest import expected_one_of
from pauseproof.routing.port_classes import DSCPS, NO_QUEUE, PRIORITIES, TRAFFIC_CLASSES, Profile

Row = Mapping[str, str]
QUEUES = 32
MAPS = {"dscp_to_tc_map": "DSCP_TO_TC_MAP", "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE"}
_IDENTITY = (*range(PRIORITIES), *(0,) * (TRAFFIC_CLASSES - PRIORITIES))


@dataclass(frozen=True)
class TunnelMaps:
    """What a tunnel of a switch does to classes. ``outer_of_tc`` and the other maps are () where they are not given.

    ``address`` is where packets to be unpacked here arrive. In mode pipe the DSCP inside lives on, else the outer one.
    """

    name: str
    address: str
    pipe: bool
    outer_of_tc: tuple[int, ...]
    queue_of_tc: tuple[int, ...]
    tc_of_dscp: tuple[int, ...]
    group_of_tc: tuple[int, ...]
    place: Place
    outer_of_dscp: tuple[int, ...] = ()  # declared: the DSCP outside by that inside, which also picks the queue then


@dataclass
class DeviceConfig:
    """The configuration of one device, from all its files. ``problems`` collects what is wrong with it."""

    device: str
    configs: tuple[ConfigDb, ...]
    problems: list[Problem] = field(default_factory=list)
    _profiles: dict[tuple[object, ...], Profile] = field(default_factory=dict)

    def rows(self, table: str) -> dict[str, Row]:
        """The rows of a table; that of the first file where several have it."""
        out: dict[str, Row] = {}
        for config in self.configs:
            for key, row in config.tables.get(table, {}).items():
                if out.setdefault(key, row) != row:
                    self._wrong(
                        table, key, f"{table}|{key} of {self.device} differs from that in {self.place(table, key)}", config
                    )
        return out

    def place(self, table: str, key: str) -> Place:
        """Where a row stands."""
        for config in self.configs:
            if (table, key) in config.lines:
                return Place(config.file, config.lines[table, key])
        return Place(self.configs[0].file)

    @cached_property
    def classes_packets(self) -> bool:
        """Is there any quality of service in it?"""
        return bool(self.rows("PORT_QOS_MAP"))

    @cached_property
    def _tables(self) -> dict[str, dict[str, Row]]:
        names = ("DSCP_TO_TC_MAP", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "MAP_PFC_PRIORITY_TO_QUEUE")
        more = ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "TC_TO_DSCP_MAP", "PORT_QOS_MAP", "BUFFER_PG", "BUFFER_PROFILE")
        return {name: self.rows(name) for name in (*names, *more)}

    @cached_property
    def _lossy_groups(self) -> dict[str, frozenset[int]]:
        """By port: the groups with a profile that has no headroom."""
        profiles, out = self._tables["BUFFER_PROFILE"], dict[str, frozenset[int]]()
        for key, row in self._tables["BUFFER_PG"].items():
            port, _, group = key.rpartition("|")
            profile = profiles.get(row.get("profile", "").rpartition("|")[2])
            if profile is not None and profile.get("xoff", "0") in ("", "0") and profile.get("headroom_type") != "dynamic":
                out[port] = out.get(port, frozenset()) | {int(group)}
        return out

    def profile(self, port: str) -> Profile:
        """The profile of one port."""
        qos = self._tables["PORT_QOS_MAP"]
        at = port if port in qos else "global"
        row = {**qos.get("global", {}), **qos.get(port, {})}
        lossy = self._lossy_groups.get(port, frozenset())
        key = (*sorted(row.items()), lossy)
        if key not in self._profiles:
            self._profiles[key] = self._profile(row, at, lossy)
        return self._profiles[key]

    def _profile(self, row: Row, at: str, lossy: frozenset[int]) -> Profile:
        on = self._priorities(row.get("pfc_enable", ""), at)
        group = self._map(row, "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", PRIORITIES, PRIORITIES, _IDENTITY, at)
        queue = self._map(row, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", PRIORITIES, QUEUES, _IDENTITY, at)
        return Profile(
            self._map(row, "dscp_to_tc_map", "DSCP_TO_TC_MAP", DSCPS, TRAFFIC_CLASSES, (0,) * DSCPS, at),
            self._map(row, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", TRAFFIC_CLASSES, PRIORITIES, _IDENTITY, at),
            self._map(row, "tc_to_queue_map", "TC_TO_QUEUE_MAP", TRAFFIC_CLASSES, QUEUES, _IDENTITY, at),
            self._map(row, "tc_to_dscp_map", "TC_TO_DSCP_MAP", TRAFFIC_CLASSES, DSCPS, (-1,) * TRAFFIC_CLASSES, at, -1),
            pauses=tuple(frozenset(p for p in on if group[p] == g) for g in range(PRIORITIES)),
            stops=tuple(queue[p] if p in on else NO_QUEUE for p in range(PRIORITIES)),
            lossy_groups=lossy,
        )

    def places(self, port: str, field: str) -> tuple[Place, ...]:
        """Where the map stands that ``field`` of a port names, and where the port's row does."""
        qos = self._tables["PORT_QOS_MAP"]
        at = port if port in qos else "global"
        name = {**qos.get("global", {}), **qos.get(port, {})}.get(field, "").rpartition("|")[2]
        of_map = (self.place(MAPS[field], name),) if name in self._tables[MAPS[field]] else ()
        return (*of_map, self.place("PORT_QOS_MAP", at))

    def tunnels(self) -> tuple[TunnelMaps, ...]:
        """The IP-in-IP tunnels of the switch."""
        rows = self.rows("TUNNEL")
        return tuple(self._tunnel(name, row) for name, row in rows.items() if row.get("tunnel_type", "IPINIP") == "IPINIP")

    def _tunnel(self, name: str, row: Row) -> TunnelMaps:
        outer = "encap_tc_to_dscp_map" if "encap_tc_to_dscp_map" in row else "encap_tc_color_to_dscp_map"
        size = TRAFFIC_CLASSES
        return TunnelMaps(
            name,
            row.get("dst_ip", ""),
            row.get("dscp_mode", "uniform") == "pipe",
            self._map(row, outer, "TC_TO_DSCP_MAP", size, DSCPS, (), name, table_of_row="TUNNEL"),
            self._map(row, "encap_tc_to_queue_map", "TC_TO_QUEUE_MAP", size, QUEUES, (), name, table_of_row="TUNNEL"),
            self._map(row, "decap_dscp_to_tc_map", "DSCP_TO_TC_MAP", DSCPS, size, (), name, table_of_row="TUNNEL"),
            self._map(row, "decap_tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", size, PRIORITIES, (), name, table_of_row="TUNNEL"),
            self.place("TUNNEL", name),
        )

    def _map(
        self,
        row: Row,
        field: str,
        table: str,
        size: int,
        below: int,
        absent: tuple[int, ...],
        at: str,
        missing: int = 0,
        table_of_row: str = "PORT_QOS_MAP",
    ) -> tuple[int, ...]:
        """The map that a row names, [size]; ``missing`` for values that it has no row for."""
        if field not in row:
            return absent
        name = row[field].rpartition("|")[2]
        known = self._tables[table]
        if name not in known:
            message = f"{table_of_row}|{at} names {table} {name!r}, which is not there; {expected_one_of(name, known)}"
            self._wrong(table_of_row, at, message)
            return absent
        out = [missing] * size
        for key, value in known[name].items():
            if _number(key) in range(size) and _number(value) in range(below):
                out[int(key)] = int(value)
            else:
                message = f"{table}|{name} maps {key!r} to {value!r}; expected 0..{size - 1} to 0..{below - 1}"
                self._wrong(table, name, message)
        return tuple(out)

    def _priorities(self, text: str, at: str) -> frozenset[int]:
        words = [word.strip() for word in text.split(",") if word.strip()]
        if any(_number(word) not in range(PRIORITIES) for word in words):
            self._wrong("PORT_QOS_MAP", at, f"pfc_enable {text!r} of {at} must be priorities 0..7, as 3,4")
            return frozenset()
        return frozenset(map(int, words))

    def _wrong(self, table: str, key: str, message: str, config: ConfigDb | None = None) -> None:
        place = Place(config.file, config.lines[table, key]) if config else self.place(table, key)
        if Problem(place, message) not in self.problems:
            self.problems.append(Problem(place, message))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else -1


def devices(configs: Iterable[ConfigDb]) -> dict[str, DeviceConfig]:
    """The configurations by device; a device may have several files."""
    by_name: dict[str, list[ConfigDb]] = {}
    for config in configs:
        by_name.setdefault(config.device, []).append(config)
    return {name: DeviceConfig(name, tuple(found)) for name, found in sorted(by_name.items())}
