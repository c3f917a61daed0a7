"""Table dumps written as the tools write them, from tables that hypothesis draws."""

from dataclasses import dataclass

from hypothesis import strategies as st

ODD_NAMES = [
    "n1 HCA-1",
    "a # b",
    "it's",
    "{x}",
    "')",
    "): (illegal port)",
    "0x0003 004 # x",
    "5 lids dumped",
    "",
    "leaf " * 8,
    "\u00e9\u03bb",
]


@dataclass(frozen=True)
class Drawn:
    """One switch: ports by LID, None where the row says that the LID is unreachable."""

    guid: int
    lid: int
    name: str
    ports: dict[int, int | None]


names = st.one_of(st.sampled_from(ODD_NAMES), st.text(st.characters(codec="utf-8", exclude_characters="\n\r")))
lids = st.one_of(st.integers(1, 40), st.integers(1, 300), st.sampled_from([63, 64, 65, 0xFF, 0x100, 0xABCD, 0xBFFF]))
ports = st.one_of(st.none(), st.integers(0, 254))
switches = st.builds(
    Drawn, st.integers(1, 2**64 - 1), st.integers(1, 0xBFFF), names, st.dictionaries(lids, ports, min_size=1, max_size=60)
)
fabrics = st.lists(switches, min_size=1, max_size=5)


def lfts_text(switch: Drawn) -> bytes:
    top = max(switch.ports)
    lines = [f"Unicast lids [0-{top}] of switch Lid {switch.lid} guid 0x{switch.guid:016x} ('{switch.name}'):"]
    for lid, port in sorted(switch.ports.items()):
        if port is not None:
            kind = f"Channel Adapter portguid 0x{lid + 7:016x}: '{switch.name}'" if lid % 5 else "unknown node and type"
            lines.append(f"0x{lid:04x} {port:03} # {kind}")
    return "".join(line + "\n" for line in [*lines, f"{top} lids dumped"]).encode()


def fdbs_text(switch: Drawn, top: int) -> bytes:
    prefix = "osm_ucast_mgr_" if switch.lid % 2 else ""
    lines = [f"{prefix}dump_ucast_routes: Switch 0x{switch.guid:016x}", "LID    : Port : Hops : Optimal"]
    for lid in sorted({*switch.ports, top}):
        port = switch.ports.get(lid)
        rests = ["01   : yes", "99   : yes", "HOPS UNKNOWN", f"02   : No 1 hop path possible via port {lid % 40}!"]
        lines.append(f"0x{lid:04X} : UNREACHABLE" if port is None else f"0x{lid:04X} : {port:03}  : {rests[lid % 4]}")
    return "".join(line + "\n" for line in lines).encode()


def fts_text(switch: Drawn, *, brief: bool = False, every: bool = False) -> bytes:
    where = f"Lid {switch.lid}" if switch.lid % 2 else "DR path slid 0; dlid 0; 0,1,2"
    top = max(switch.ports) + (max(switch.ports) % 64 == 0)
    lines = [f"Unicast lids [0x0-0x{top:x}] of switch {where} guid 0x{switch.guid:016x} ({switch.name}):"]
    lines += ["  Lid  Out   Destination", "       Port     Info "]
    rows = 0
    for lid, port in sorted(switch.ports.items()):
        if port is None and not every:
            continue
        info = f": (Channel Adapter portguid 0x{lid + 7:016x}: '{switch.name}')"
        if lid % 4 == 3:
            info = f": (path #2 out of 2: portguid 0x{lid + 7:016x})"
        if port is None:
            info = ": (illegal port)" if lid % 4 else ": (path #0 - illegal port)"
        shown = (255 if brief or lid % 3 else 77) if port is None else port
        lines.append(f"0x{lid:04x} {shown:03} " + ("" if brief else info))
        rows += 1
    return "".join(line + "\n" for line in [*lines, f"{rows} {'' if every else 'valid '}lids dumped "]).encode()
