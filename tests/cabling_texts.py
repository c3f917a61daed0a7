"""One small fabric, written down as each InfiniBand tool would: for readers to read back.

Two switches with a cable, one loop-back, a host of two ports on both, a host behind a base port 0 switch, a router, a SHARP
aggregation node. All GUIDs invented.
"""

from dataclasses import dataclass, field

SWITCH_NAMES = ("leaf one", "spine")
NODES = {  # guid: (type, ports, {port: (port guid, lid)})
    0xB0001: ("SW", 8, {0: (0xB0001, 3)}),
    0xB0002: ("SW", 8, {0: (0xB00F2, 4)}),
    0xA0001: ("CA", 2, {1: (0xA0002, 7), 2: (0xA0003, 8)}),
    0xA0011: ("CA", 1, {1: (0xA0012, 9)}),
    0xC0001: ("Rt", 2, {1: (0xC0002, 10)}),
    0xD0001: ("CA", 1, {1: (0xD0002, 11)}),
}
NAMES = {
    0xB0001: "leaf one",
    0xB0002: "spine",
    0xA0001: "n1 HCA-1",
    0xA0011: "n2 HCA-1",
    0xC0001: "router",
    0xD0001: "Mellanox Technologies Aggregation Node",
}
CABLES = [
    ((0xB0001, 1), (0xB0002, 1)),
    ((0xB0001, 2), (0xB0001, 5)),
    ((0xB0001, 3), (0xA0001, 1)),
    ((0xB0002, 3), (0xA0001, 2)),
    ((0xB0001, 4), (0xA0011, 1)),
    ((0xB0002, 4), (0xC0001, 1)),
    ((0xB0002, 8), (0xD0001, 1)),
]


@dataclass
class Written:
    """The fabric with other names, or in other letters."""

    names: dict[int, str] = field(default_factory=lambda: dict(NAMES))
    upper: bool = False
    wide: bool = False

    def ends(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Every cable from both ends, in the order of the tools: by node."""
        return sorted([*CABLES, *((b, a) for a, b in CABLES)])

    def port(self, node: int, port: int) -> tuple[int, int]:
        """(port GUID, LID)."""
        return NODES[node][2][0 if NODES[node][0] == "SW" else port]

    def hex(self, value: int, width: int) -> str:
        text = f"{value:0{width}x}"
        return text.upper() if self.upper else text

    def lst_end(self, node: int, port: int, width: int) -> str:
        kind, ports, _ = NODES[node]
        guid, lid = self.port(node, port)
        suffix = "-SM" if node == 0xA0011 else ""
        ids = f"SystemGUID:{self.hex(node, 16)} NodeGUID:{self.hex(node, 16)} PortGUID:{self.hex(guid, 16)}"
        rest = f"VenID:{self.hex(0x2C9, width)} DevID:{'D2F20000' if self.wide else 'D2F2'} Rev:000000A0"
        return (
            f"{{ {kind}{suffix} Ports:{ports:02X} {ids} {rest} {{{self.names[node]}}} LID:{self.hex(lid, 4)} PN:{port:02X} }}"
        )

    def lst(self, speed: str = " SPD=25") -> str:
        """opensm-subnet.lst."""
        return "".join(f"{self.lst_end(*a, 6)} {self.lst_end(*b, 8)} PHY=4x LOG=ACT{speed}\n" for a, b in self.ends())

    def discover(self, *, full: str = "", lmc: int = 0, header: str = "") -> str:
        """ibnetdiscover."""
        out = ["#", "# Topology file: generated on Tue Jan  2 03:04:05 2024", "#", *([header] if header else [])]
        out += [f"# Initiated from node {0xA0001:016x} port {0xA0002:016x}", ""]
        for node in NODES:
            out += [*self._block(node, lmc), *(self._line(a, b, full, lmc) for a, b in self.ends() if a[0] == node), ""]
        return "\n".join(out) + "\n"

    def _id(self, node: int) -> str:
        return f'"{ {"SW": "S", "CA": "H", "Rt": "R"}[NODES[node][0]] }-{self.hex(node, 16)}"'

    def _block(self, node: int, lmc: int) -> list[str]:
        kind, ports, own = NODES[node]
        word = {"SW": "switch", "CA": "ca", "Rt": "rt"}[kind]
        key = f"{word}guid=0x{self.hex(node, 1)}" + (f"({self.hex(own[0][0], 1)})" if kind == "SW" else "")
        lid = f" enhanced port 0 lid {own[0][1]} lmc {lmc}" if kind == "SW" else ""
        line = f'{ {"SW": "Switch", "CA": "Ca", "Rt": "Rt"}[kind] }\t{ports} {self._id(node)}\t\t# "{self.names[node]}"{lid}'
        return ["vendid=0x2c9", "devid=0xd2f0", f"sysimgguid=0x{self.hex(node, 1)}", key, line]

    def _line(self, a: tuple[int, int], b: tuple[int, int], full: str, lmc: int) -> str:
        (own, lid), (far, far_lid) = self.port(*a), self.port(*b)
        switch, far_switch = NODES[a[0]][0] == "SW", NODES[b[0]][0] == "SW"
        near = f"[{a[1]}]" + ("" if switch else f"({self.hex(own, 1)}) ")
        there = f"{self._id(b[0])}[{b[1]}]" + ("" if far_switch else f"({self.hex(far, 1)}) ")
        said = f'"{self.names[b[0]]}" lid {far_lid} 4xEDR{full}'
        return f"{near}\t{there}\t\t# {said}" if switch else f"{near}\t{there}\t\t# lid {lid} lmc {lmc} {said}"

    def ports(self) -> str:
        """ibnetdiscover -p, with a row for a port without a cable."""
        out = []
        for a, b in self.ends():
            ends = [f"{self._p(*end)} 0x{self.hex(self.port(*end)[0], 16)}" for end in (a, b)]
            out.append(f"{ends[0]} 4x EDR - {ends[1]} ( '{self.names[a[0]]}' - '{self.names[b[0]]}' )\n")
        out.append(f"{self._p(0xB0001, 8)} 0x{self.hex(0xB0001, 16)} 4x SDR{'':36}'{self.names[0xB0001]}'\n")
        return "".join(out)

    def _p(self, node: int, port: int) -> str:
        return f"{NODES[node][0].upper():2} {self.port(node, port)[1]:5} {port:2}"

    def db_csv(self) -> str:
        """ibdiagnet2's .db_csv."""
        kinds = {"CA": 1, "SW": 2, "Rt": 3}
        nodes = [
            f'"{self.names[n]}",{ports},{kinds[kind]},N/A,0x{self.hex(n, 16)},0x{self.hex(n, 16)}'
            for n, (kind, ports, _) in NODES.items()
        ]
        own = [(node, port, *facts) for node, (_, _, ports) in NODES.items() for port, facts in ports.items()]
        speeds = [(*a, self.port(*a)[0], 0) for a, _ in self.ends() if NODES[a[0]][0] == "SW"]
        ports = [
            f"0x{self.hex(n, 16)},0x{self.hex(guid, 16)},{p},{lid},{'N/A' if p == 1 else 0},2,512,3"
            for n, p, guid, lid in [*own, *speeds]
        ]
        links = [f"0x{self.hex(a[0], 16)},{a[1]},0x{self.hex(b[0], 16)},{b[1]}" for a, b in CABLES]
        sections = {
            "NODES": ["NodeDesc,NumPorts,NodeType,ClassVersion,SystemImageGUID,NodeGUID", *nodes],
            "SWITCHES": ["NodeGUID,LinearFDBCap", *(f"0x{n:016x},49152" for n, (kind, _, _) in NODES.items() if kind == "SW")],
            "PORTS": ["NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv,OpVLs", *ports],
            "LINKS": ["NodeGuid1,PortNum1,NodeGuid2,PortNum2", *links],
        }
        return "".join("\n".join([f"START_{name}", *lines, f"END_{name}", "", ""]) for name, lines in sections.items())
