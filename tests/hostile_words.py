"""What an unlucky hand or an attacker makes of YAML, CSV, XML, JSON and logs: seeded mutations of one file."""

import re
from collections.abc import Callable
from random import Random

from hostile_inputs import BYTES, LINES

NUMBERS = [
    *(b"0", b"-1", b"1", b"255", b"256", b"65535", b"65536", b"131072", b"4294967295", b"4294967296", b"99999999999999999999"),
    *(
        b"1e9",
        b"1e308",
        b"1e400",
        b"nan",
        b".inf",
        b"-0",
        b"0x",
        b"0x10",
        b"1_000",
        b"3.5",
        b"",
        b"9" * 5000,
        b"1e-300",
        b"007",
    ),
    "\u0663".encode(),
]
WORDS = [
    *(b"x", b"''", b'"\\x1b[2Jgone"', b'"<script>alert(1)</script>"', b'"%s%n{index}"', b'"a\\nb"', b'"a\\0b"', b'"\\ud800"'),
    *(b"[]", b"{}", b"[[]]", b"{a: b}", b"~", b"true", b"!!python/object:os.system x", b"&a b", b"*a", b"<<: {a: b}", b"? a"),
    *(b'"H[0-999999999]"', b'"H[1-1048576]"', b"'*'", b"'[a'", b'"{index*index*index*index}"', b'"{index%nic}"', b'"{node}"'),
    *(
        b"world",
        b"2001:db8::1",
        b"10.0.0.1",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"/dev/zero",
        b"../../etc/passwd",
        b".",
    ),
]
_WORD = re.compile(rb"[\w.*/<>-]+")
_NUMBER = re.compile(rb"(?<!\w)-?[0-9]+(?:\.[0-9]+)?")
_VALUE = re.compile(rb'(?<=[:="])[^,}\]\n"]+')
_ENTRY = re.compile(rb"[\w-]+: ?[^,}\]\n]*,? ?")
Mutation = Callable[[bytes, Random], bytes]


def mauled(data: bytes, random: Random) -> bytes:
    """One to three mutations."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        kind = random.random()
        if kind < 0.75:
            data = random.choice(MUTATIONS)(data, random)
        elif kind < 0.87:
            data = random.choice(BYTES)(data, random)
        else:
            data = b"".join(random.choice(LINES)(data.splitlines(keepends=True), random))
    return data


def _one(pattern: re.Pattern[bytes], data: bytes, random: Random) -> tuple[int, int]:
    """Where a match is, nowhere where there is none."""
    found = [match.span() for match in pattern.finditer(data)]
    return random.choice(found) if found else (0, 0)


def other_word(data: bytes, random: Random) -> bytes:
    """A word becomes another of the file, or a strange one."""
    start, end = _one(_WORD, data, random)
    a, b = _one(_WORD, data, random)
    return data[:start] + (random.choice(WORDS) if random.random() < 0.5 else data[a:b]) + data[end:]


def odd_number(data: bytes, random: Random) -> bytes:
    """A number becomes an odd one."""
    start, end = _one(_NUMBER, data, random)
    return data[:start] + random.choice(NUMBERS) + data[end:]


def odd_value(data: bytes, random: Random) -> bytes:
    """What stands behind a colon, an equals sign or a quote becomes something else."""
    start, end = _one(_VALUE, data, random)
    return data[:start] + random.choice(NUMBERS + WORDS) + data[end:]


def twice(data: bytes, random: Random) -> bytes:
    """An entry stands in two places."""
    (_, end), (a, b) = _one(_ENTRY, data, random), _one(_ENTRY, data, random)
    return data[:end] + random.choice((b", ", b"\n")) + data[a:b] + data[end:]


def left_out(data: bytes, random: Random) -> bytes:
    """An entry is missing."""
    start, end = _one(_ENTRY, data, random)
    return data[:start] + data[end:]


def spoilt(data: bytes, random: Random) -> bytes:
    """The whole file: other line ends, other encodings, twice, nested, with a byte order mark or NUL bytes."""
    made = [
        *(b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\r"), data + data, data.rstrip(b"\n")),
        *(data.decode("utf-8", "replace").encode("utf-16"), b"---\n" + data + b"---\n", b"%YAML 9.9\n---\n" + data),
        *(data.replace(b" ", b"\t"), b"\0" + data, data + b"\0", b"[" * 100 + data, b"- " * 40 + data),
    ]
    return random.choice(made)


MUTATIONS: list[Mutation] = [other_word, odd_number, odd_number, odd_value, odd_value, twice, left_out, spoilt]
