"""Real dumps, and what an unlucky copy or an attacker makes of them: seeded mutations of the files of one folder.

A case is the folder's files by name. ``mangled`` may do anything to them; ``lossy`` only takes away lines or the end of one
file, so that the fabric as it was before is one of the fabrics that what is left can stand for.
"""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

Files = dict[str, bytes]
Lines = list[bytes]

TOPOLOGIES = Path(__file__).resolve().parents[1] / "topologies" / "opensm"


def case(name: str, folder: Path = TOPOLOGIES) -> Files:
    """The files of a case, without its expected answer."""
    return {path.name: path.read_bytes() for path in sorted((folder / name).iterdir()) if path.name != "expected.yaml"}


def on_one_sl(files: Files) -> Files:
    """Every path on SL 0: what LASH kept apart by SLs now waits in a loop."""
    return files | {"path-sl.psl": re.sub(rb"\d+\n", b"0\n", files["path-sl.psl"])}


def on_one_vl(files: Files) -> Files:
    """Every SL on VL 0, at switches and hosts: the SLs keep nothing apart."""
    rows = re.sub(rb"(?m)^(\d+ +\d+ +:)(.*)$", lambda row: row[1] + b" 0 " * 16, files["opensm-sl2vl.dump"])
    return files | {"opensm-sl2vl.dump": rows}


def mangled(files: Files, random: Random, others: Files) -> Files:
    """One to three mutations of any kind, mostly of one file."""
    out = dict(files)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        name = random.choice(sorted(out))
        kind = random.random()
        if kind < 0.03 and len(out) > 1:
            del out[name]
        elif kind < 0.06:
            other = random.choice(sorted(others))
            out[f"other-{other}"] = others[other]
        elif kind < 0.25:
            out[name] = random.choice(BYTES)(out[name], random)
        else:
            out[name] = b"".join(random.choice(LINES)(out[name].splitlines(keepends=True), random))
    return out


def lossy(files: Files, random: Random, names: list[str]) -> Files:
    """One of the files ``names`` without some of its lines, or without its end."""
    name = random.choice(names)
    if random.random() < 0.2:
        return files | {name: cut_anywhere(files[name], random)}
    lines = files[name].splitlines(keepends=True)
    for _ in range(random.choice((1, 1, 2, 5))):
        lines = random.choice(LOSSES)(lines, random)
    return files | {name: b"".join(lines)}


def delete_line(lines: Lines, random: Random) -> Lines:
    """One line less."""
    i = random.randrange(len(lines) + 1)
    return lines[:i] + lines[i + 1 :]


def delete_range(lines: Lines, random: Random) -> Lines:
    """Some neighbouring lines less."""
    i, n = random.randrange(len(lines) + 1), random.choice((2, 3, 10, 17, 40))
    return lines[:i] + lines[i + n :]


def delete_alike(lines: Lines, random: Random) -> Lines:
    """All lines less that share the beginning of one of them: a LID in every table, a sender's rows."""
    if not lines:
        return lines
    start = random.choice(lines)[: random.choice((6, 18, 20))]
    return [line for line in lines if not line.startswith(start)]


def cut(lines: Lines, random: Random) -> Lines:
    """The end is missing."""
    return lines[: random.randrange(len(lines) + 1)]


def behead(lines: Lines, random: Random) -> Lines:
    """The beginning is missing."""
    return lines[random.randrange(len(lines) + 1) :]


def duplicate(lines: Lines, random: Random) -> Lines:
    """Some lines twice."""
    i, n = random.randrange(len(lines) + 1), random.choice((1, 1, 2, 17))
    return lines[: i + n] + lines[i:]


def swap(lines: Lines, random: Random) -> Lines:
    """Two lines in each other's place."""
    out = list(lines)
    if out:
        i, j = random.randrange(len(out)), random.randrange(len(out))
        out[i], out[j] = out[j], out[i]
    return out


def insert(lines: Lines, random: Random) -> Lines:
    """A line that does not belong."""
    i = random.randrange(len(lines) + 1)
    return [*lines[:i], random.choice(STRANGE), *lines[i:]]


def other_number(lines: Lines, random: Random) -> Lines:
    """A number of one line becomes one of another line, or an odd one."""
    out = list(lines)
    if not out:
        return out
    i = random.randrange(len(out))
    found = list(re.finditer(rb"[0-9a-fA-F]+", out[i]))
    values = re.findall(rb"[0-9a-fA-F]+", random.choice(out)) or [b"0"]
    if found:
        at = random.choice(found)
        value = random.choice(values if random.random() < 0.7 else ODD_NUMBERS)
        out[i] = out[i][: at.start()] + value + out[i][at.end() :]
    return out


def cut_anywhere(data: bytes, random: Random) -> bytes:
    """The end is missing, from the middle of a line on."""
    return data[: random.randrange(len(data) + 1)]


def flip(data: bytes, random: Random) -> bytes:
    """One bit of one byte."""
    if not data:
        return data
    i = random.randrange(len(data))
    return data[:i] + bytes([data[i] ^ 1 << random.randrange(8)]) + data[i + 1 :]


def other_digit(data: bytes, random: Random) -> bytes:
    """One digit becomes another."""
    digits = [match.start() for match in re.finditer(rb"\d", data)]
    if not digits:
        return data
    i = random.choice(digits)
    return data[:i] + b"%d" % random.randrange(10) + data[i + 1 :]


def splice(data: bytes, random: Random) -> bytes:
    """Some bytes that do not belong."""
    i = random.randrange(len(data) + 1)
    return data[:i] + random.choice((b"\0", b"\xff\xfe", b"\x1b[31m", b"\n", b" ", b"0", b"\r", b"-")) + data[i:]


LOSSES: list[Callable[[Lines, Random], Lines]] = [delete_line, delete_range, delete_alike, cut, behead]
LINES = [*LOSSES, duplicate, swap, insert, other_number, other_number]
BYTES: list[Callable[[bytes, Random], bytes]] = [cut_anywhere, flip, other_digit, splice]
STRANGE = [b"\n", b"# comment\n", b"\x00\x00\n", b"END_LINKS\n", b"0x0004 : UNREACHABLE\n", b"\xc3\x28\n", b"- {a: &a b}\n"]
ODD_NUMBERS = [b"0", b"-1", b"255", b"256", b"65535", b"49152", b"99999999999999999999", b"FFFFFFFFFFFFFFFF", b""]
