"""ibutils' .topo files: the cabling as planned, systems by type and name, ports by what is printed on the panel.

    MTS2400 SL1-1
        P1 -4x-5G-> MT23108 H-1 P1
        P13 -> MTS2400 SL2-1 P1

A blank line ends a system; the arrow may give width and speed of a lane. There are no GUIDs and no LIDs: the names are the
identities (``guid_is_name``), and a node's number is its place in the order of first mention. What a type is stands in .ibnl
files that belong to ibutils, not in the .topo; types of one chip whose port Pn is the chip's port n are known here, others
are taken from their use. A chassis has an inner cabling that a .topo does not show: it is refused.

Source: the manual pages ibdm-topo-file and ibdm-ibnl-file of ibutils.
"""

import re
from dataclasses import dataclass, field

from pauseproof.fabric.model import NodeKind
from pauseproof.readers.cabling_rows import UNKNOWN_SPEED, CablingRows, NodeRow, link_speed
from pauseproof.readers.problems import Problems, numbered_lines, shown
from pauseproof.readers.records import CablingRecords
from pauseproof.readers.source import Source

NAME = "ibutils-topo"

PORTS_OF_SWITCH = {
    **dict.fromkeys(("Buffalo", "MTS800"), 8),
    **dict.fromkeys(("Reindeer", "MTS2400", "MTS2400-24", "Reindeer-12x12x", "MTS2400-12T4"), 24),
    **dict.fromkeys(("IS4", "F464M", "MTS3600", "Shark"), 36),
}
PORTS_OF_HCA = {
    **dict.fromkeys(("Cheetah", "MHGS18-XT", "MT25204"), 1),
    **dict.fromkeys(("Cougar", "MT23108", "MTPB23108", "Eagle", "MT25408", "MHEH28", "MHGH28"), 2),
    **dict.fromkeys(("MHX-CE128-T", "MHX-CE256-T", "MHX-CE512-T", "MHXL-CF128-T", "MHXL-CF256-T", "MHXL-CF512-T"), 2),
    **dict.fromkeys(("Lion", "MT25208", "MTLP25208", "MHEL-CF128-T", "MHEL-CF256-T", "MHEL-CF512-T"), 2),
    **dict.fromkeys(("LionMini", "MHEA28-XT", "MT25218"), 2),
}
MOST_HCA_PORTS = 2

SYSTEM = re.compile(rb"[ \t]*([^/ \t]+)[ \t]+([^/ \t]+)(?:[ \t]+CFG:(.*))?")
CABLE = re.compile(
    rb"[ \t]+([^ \t]+)[ \t]+-(?:(1|2|4|8|12)[xX]-)?(?:([0-9.]+)G-)?>[ \t]+([^ \t]+)[ \t]+([^ \t]+)[ \t]+([^ \t]+)"
)
PANEL_PORT = re.compile(rb"[Pp](\d{1,3})")


def matches(head: bytes) -> bool:
    """Whether the first lines that are no comment are a system and a cable of it."""
    lines = [line.rstrip() for line in head.split(b"\n")]
    told = [line for line in lines if line and not line.lstrip().startswith(b"#")][:2]
    return len(told) == 2 and SYSTEM.fullmatch(told[0]) is not None and CABLE.fullmatch(told[1]) is not None


def read(source: Source) -> CablingRecords:
    """The cabling of the file: names only. Raises BadInput."""
    plan = _Plan(Problems(source.path))
    for number, line in numbered_lines(source, plan.problems):
        plan.line(number, line)
    if not plan.cables:
        plan.problems.add(0, "holds no cables; expected lines like P1 -> MT23108 H-1 P1 below a system")
    plan.problems.raise_any()
    return plan.rows().records(NAME, guid_is_name=True)


@dataclass
class _System:
    """What was said of one system so far."""

    type: str
    number: int
    line: int
    declared: bool = False
    largest_port: int = 0


@dataclass
class _Plan:
    """Follows the file; ``here`` is the system whose cables the lines state."""

    problems: Problems
    systems: dict[str, _System] = field(default_factory=dict)
    cables: list[tuple[str, int, str, int, int, float]] = field(default_factory=list)
    here: str = ""

    def line(self, number: int, line: bytes) -> None:
        """The next line of the file."""
        if line.lstrip().startswith(b"#"):
            return
        if not line:
            self.here = ""
        elif found := CABLE.fullmatch(line):
            self._cable(number, found)
        elif found := SYSTEM.fullmatch(line):
            self.here = self._system(number, found[1], found[2])
            self.systems[self.here].declared = True
        else:
            self.problems.add(number, f"{shown(line)} is not understood; expected TYPE NAME, or PORT -> TYPE NAME PORT")

    def _system(self, number: int, type_text: bytes, name_text: bytes) -> str:
        type_, name = (text.decode("utf-8", "backslashreplace") for text in (type_text, name_text))
        system = self.systems.setdefault(name, _System(type_, len(self.systems) + 1, number))
        if system.type != type_:
            self.problems.add(number, f"{name} is a {type_} here and a {system.type} in line {system.line}; expected one type")
        return name

    def _cable(self, number: int, found: re.Match[bytes]) -> None:
        near_port, width, lane, far_type, far_name, far_port = found.groups()
        if not self.here:
            self.problems.add(number, "a cable outside a system; expected TYPE NAME before it, without a blank line between")
            return
        far = self._system(number, far_type, far_name)
        ports = [self._port(number, name, text) for name, text in ((self.here, near_port), (far, far_port))]
        speed = link_speed(f"{width.decode()}x", lane.decode()) if width and lane else UNKNOWN_SPEED
        self.cables.append((self.here, ports[0], far, ports[1], number, speed))

    def _port(self, number: int, name: str, text: bytes) -> int:
        found = PANEL_PORT.fullmatch(text)
        if found is None:
            self.problems.add(
                number,
                f"the port {shown(text)} of {name} lies inside a chassis, whose inner cabling is in an .ibnl file;"
                " expected P1, P2, ..; give the fabric as found instead: ibnetdiscover, or opensm-subnet.lst",
            )
            return 0
        system, port = self.systems[name], int(found[1])
        system.largest_port = max(system.largest_port, port)
        return port

    def rows(self) -> CablingRows:
        """Nodes by number, and their cables."""
        rows = CablingRows(self.problems)
        widest: dict[str, int] = {}
        for system in self.systems.values():
            widest[system.type] = max(widest.get(system.type, 0), system.largest_port)
        for name, system in self.systems.items():
            kind, ports = self._kind(name, system, widest[system.type])
            rows.node(system.number, NodeRow(kind, ports, name, system.line))
        for near, near_port, far, far_port, number, speed in self.cables:
            rows.cable(self.systems[near].number, near_port, self.systems[far].number, far_port, number, speed)
        return rows

    def _kind(self, name: str, system: _System, widest: int) -> tuple[NodeKind, int]:
        """Kind and radix by the type's name; of other types by the largest port that any system of the type uses."""
        if system.type in PORTS_OF_SWITCH:
            return NodeKind.SWITCH, PORTS_OF_SWITCH[system.type]
        if system.type in PORTS_OF_HCA:
            return NodeKind.HOST, PORTS_OF_HCA[system.type]
        if widest > MOST_HCA_PORTS:
            return NodeKind.SWITCH, widest
        if system.declared:
            known = ", ".join(sorted({*PORTS_OF_SWITCH, *PORTS_OF_HCA}))
            said = (
                f"whether a {system.type} is a switch cannot be told: no {system.type} uses a port above P2; known are {known}"
            )
            self.problems.add(system.line, said)
        return NodeKind.HOST, max(widest, 1)
