"""``sysctl -a`` of a Linux device, or the part of it that speaks of multipath hashes.

Lines are ``name = value``; ``#`` and ``;`` begin a comment, as in /etc/sysctl.d, where a leading ``-`` means "where it exists",
and what ``sysctl`` could not read is told in lines that begin with its own name. All other names are left alone.

Source: Documentation/networking/ip-sysctl.rst of Linux (fib_multipath_hash_policy, _fields, _seed), sysctl(8), sysctl.d(5).
"""

import re

from pauseproof.readers.device_name import device_of
from pauseproof.readers.problems import Problems, first_lines, numbered_lines, shown
from pauseproof.readers.roce_records import SysctlRecords
from pauseproof.readers.source import Source

NAME = "sysctl"
MOST = {"policy": 3, "fields": 0xFFFF, "seed": 2**32 - 1}

_LINE = re.compile(rb"-?([a-z][\w-]*(?:[./][\w.:/@*-]+)+)[ \t]*=[ \t]*(.*)")
_ROOT = re.compile(rb"-?(?:abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm)[./]")
_IGNORED = (b"#", b";", b"sysctl:")
_OURS = re.compile(r"net\.ipv[46]\.fib_multipath_hash_(policy|fields|seed)")


def matches(head: bytes) -> bool:
    """Lines that are settings of a kernel.

    >>> matches(b"net.ipv4.fib_multipath_hash_policy = 1"), matches(b"seed = 1")
    (True, False)
    """
    lines = [line for line in first_lines(head, 40) if not line.startswith(_IGNORED)]
    whole = lines[:-1] if len(head) >= 4096 and len(lines) > 1 else lines
    return bool(whole) and _ROOT.match(whole[0]) is not None and all(_LINE.fullmatch(line) for line in whole)


def read(source: Source) -> SysctlRecords:
    """The settings of multipath hashes. Raises BadInput."""
    problems, values, lines = Problems(source.path), dict[str, int](), dict[str, int]()
    for number, line in numbered_lines(source, problems):
        text = line.strip()
        if not text or text.startswith(_IGNORED):
            continue
        found = _LINE.fullmatch(text)
        if found is None:
            problems.add(number, f"{shown(text)} is no setting; expected name = value")
            continue
        name = found[1].decode("ascii", "replace").replace("/", ".")
        if (ours := _OURS.fullmatch(name)) is None:
            continue
        value = _number(found[2], MOST[ours[1]])
        if value is None:
            problems.add(number, f"{name} is {shown(found[2])}; expected a whole number from 0 to {MOST[ours[1]]}")
        elif values.setdefault(name, value) != value:
            problems.add(number, f"{name} is {value} here and {values[name]} in line {lines[name]}")
        lines.setdefault(name, number)
    problems.raise_any()
    return SysctlRecords(source.path, device_of(source.path), values, lines)


def _number(text: bytes, most: int) -> int | None:
    """A number as sysctl prints it; None where it is none, or too large."""
    word = text.strip()
    if not (word.isdigit() and len(word) < 11) and not re.fullmatch(rb"0x[0-9a-fA-F]{1,8}", word):
        return None
    value = int(word, 16 if word.startswith(b"0x") else 10)
    return value if value <= most else None
