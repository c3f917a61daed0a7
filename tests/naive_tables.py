"""Table dumps read line by line, slowly and plainly: what the fast readers are held against. Shares no code with them."""

from dataclasses import dataclass, field

HEX = set(b"0123456789abcdefABCDEF")
DIGITS = set(b"0123456789")
COLUMNS = [b"LID", b"Port", b"Hops", b"Optimal"]


class Refused(Exception):
    """The file is not of the format."""


@dataclass
class Table:
    guid: int
    first: int = -1
    top: int = -1
    rows: dict[int, int] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    trailer: int = -1

    def add(self, lid: int, port: int) -> None:
        if lid > 0xBFFF or port > 255 or self.rows.get(lid, port) != port:
            raise Refused
        self.rows[lid] = port
        self.order.append(lid)

    def cut(self) -> int:
        ascending = all(a < b for a, b in zip(self.order, self.order[1:], strict=False))
        return max(self.order, default=-1) + 1 if ascending else 0

    def routed(self) -> dict[int, int]:
        return {lid: port for lid, port in self.rows.items() if port != 255}


@dataclass
class Naive:
    tables: list[Table]
    unknown_from: list[int]


def is_number(text: bytes, digits: set[int], least: int, most: int) -> bool:
    return least <= len(text) <= most and set(text) <= digits


def lid_and_port(words: list[bytes]) -> tuple[int, int]:
    if len(words) != 2 or not words[0].startswith(b"0x"):
        raise Refused
    if not is_number(words[0][2:], HEX, 4, 16) or not is_number(words[1], DIGITS, 3, 9):
        raise Refused
    return int(words[0], 16), int(words[1])


def guid_in(text: bytes, mark: bytes) -> int | None:
    for part in text.split(mark)[1:]:
        digits = part[: next((i for i, c in enumerate(part) if c not in HEX), len(part))]
        if 1 <= len(digits) <= 16:
            return int(digits, 16)
    return None


def is_blank(line: bytes) -> bool:
    return not line.strip() or line.lstrip().startswith(b"#")


def trailer_number(line: bytes, *endings: bytes) -> int | None:
    for ending in endings:
        number = line.rstrip().removesuffix(ending)
        if line.rstrip().endswith(ending) and is_number(number, DIGITS, 1, 9):
            return int(number)
    return None


def lines_of(data: bytes) -> tuple[list[bytes], bytes]:
    *lines, last = data.split(b"\n")
    return lines, last


def with_trailers(tables: list[Table], *, counts_rows: bool) -> Naive:
    if not tables:
        raise Refused
    unknown = []
    for table in tables:
        expected = len(table.order) if counts_rows else table.top
        doubtful = (expected >= 0 and table.trailer != expected) or table.first > 1
        unknown.append(table.cut() if table.trailer < 0 else 0 if doubtful else -1)
    return Naive(tables, unknown)


def naive_lfts(data: bytes) -> Naive:
    lines, last = lines_of(data)
    if trailer_number(last, b" lids dumped") is not None:
        lines.append(last)
    tables: list[Table] = []
    current: Table | None = None
    for line in lines:
        if line.startswith(b"Unicast lids"):
            guid = guid_in(line, b" guid 0x")
            if guid is None:
                raise Refused
            current = Table(guid)
            span = line.removeprefix(b"Unicast lids [").partition(b"]")[0].partition(b"-")
            if line.startswith(b"Unicast lids [") and b"]" in line and all(is_number(x, DIGITS, 1, 9) for x in span[::2]):
                current.first, current.top = int(span[0]), int(span[2])
            tables.append(current)
        elif (number := trailer_number(line, b" lids dumped")) is not None:
            if current is None:
                raise Refused
            current.trailer, current = number, None
        elif not is_blank(line):
            lid, port = lid_and_port(line.partition(b"#")[0].split())
            if current is None or line[:1].isspace():
                raise Refused
            current.add(lid, port)
    return with_trailers(tables, counts_rows=False)


def naive_fts(data: bytes) -> Naive:
    """Unicast blocks only."""
    lines, last = lines_of(data)
    endings = (b" lids dumped", b" valid lids dumped")
    if trailer_number(last, *endings) is not None:
        lines.append(last)
    tables: list[Table] = []
    current: Table | None = None
    for line in lines:
        if line.startswith(b"Unicast lids"):
            current = fts_header(line)
            tables.append(current)
        elif (number := trailer_number(line, *endings)) is not None:
            if current is None:
                raise Refused
            current.trailer, current = number, None
        elif not is_blank(line) and line.split() not in ([b"Lid", b"Out", b"Destination"], [b"Port", b"Info"]):
            front, _, comment = line.partition(b":")
            lid, port = lid_and_port(front.split())
            if current is None or line[:1].isspace():
                raise Refused
            comment = comment.rstrip()
            illegal = comment == b" (illegal port)" or (
                comment.startswith(b" (path #") and comment.endswith(b"- illegal port)")
            )
            current.add(lid, 255 if illegal else port)
    return with_trailers(tables, counts_rows=True)


def fts_header(line: bytes) -> Table:
    span = line.removeprefix(b"Unicast lids [").partition(b"] of switch ")[0].split(b"-")
    guid = guid_in(line, b"guid 0x")
    if guid is None or len(span) != 2 or not all(x.startswith(b"0x") and is_number(x[2:], HEX, 1, 8) for x in span):
        raise Refused
    return Table(guid, int(span[0], 16), int(span[1], 16))


def fdbs_row(line: bytes) -> tuple[int, int]:
    parts = [part.strip() for part in line.split(b":", 3)]
    if len(parts) == 2 and parts[1] == b"UNREACHABLE":
        return lid_and_port([parts[0], b"255"])
    lid, port = lid_and_port(parts[:2])
    detour = len(parts) == 4 and parts[3].startswith(b"No ") and parts[3].endswith(b"!")
    hops = len(parts) == 4 and is_number(parts[2], DIGITS, 2, 9) and (parts[3] == b"yes" or detour)
    if line[:2] != b"0x" or not (hops or (len(parts) == 3 and parts[2] == b"HOPS UNKNOWN")):
        raise Refused
    return lid, port


def fdbs_header(line: bytes) -> int | None:
    words = line.split() if not line[:1].isspace() else []
    if len(words) == 3 and words[0].endswith(b":") and words[0][:-1].replace(b"_", b"a").isalnum():
        words = words[1:]
    if len(words) == 2 and words[0] == b"Switch" and words[1].startswith(b"0x") and is_number(words[1][2:], HEX, 1, 16):
        return int(words[1], 16)
    return None


def naive_fdbs(data: bytes) -> Naive:
    lines, last = lines_of(data)
    cut_in_row = last.startswith(b"0")
    try:
        fdbs_row(last)
        lines.append(last)
        cut_in_row = False
    except Refused:
        pass
    tables: list[Table] = []
    for line in lines:
        guid = fdbs_header(line)
        if guid is not None:
            tables.append(Table(guid))
        elif not is_blank(line) and [word.rstrip() for word in line.replace(b": ", b":").split(b":")] != COLUMNS:
            row = fdbs_row(line)
            if not tables:
                raise Refused
            tables[-1].add(*row)
    if not tables:
        raise Refused
    reach = max(max(table.order, default=-1) for table in tables)
    unknown = [table.cut() if not table.order or max(table.order) < reach else -1 for table in tables]
    if cut_in_row:
        unknown[-1] = tables[-1].cut()
    return Naive(tables, unknown)
