"""Speeds, lengths, durations and sizes as people write them."""

import re
from fractions import Fraction

NAN = float("nan")
MOST_GBPS = 6400.0  # bare numbers beyond it are Mb/s by mistake
MOST_METRES = 200_000.0

_SPEED = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(?:([MG])(?:i?g|b|bit|bps|b/s|bit/s|be|base.*|e)?)?", re.I)
_LENGTH = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([a-z]*)", re.I)
_METRES = {
    **dict.fromkeys(("", "m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("cm", "centimeters", "centimetres"), 0.01),
    **dict.fromkeys(("km", "kilometers", "kilometres"), 1000.0),
    **dict.fromkeys(("ft", "feet", "foot"), 0.3048),
    **dict.fromkeys(("in", "inch", "inches"), 0.0254),
    **dict.fromkeys(("mi", "mile", "miles"), 1609.344),
}

MOST_BYTES = 1e18
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?(?:e[0-9]{1,2})?)\s*([kKMGT]?)(i?)(?:[bB](?:ytes?)?)?")
_PREFIX = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}


def speed_of(text: str) -> float:
    """Gb/s; a bare number is Gb/s, NaN where nothing is written. Raises ValueError.

    >>> speed_of("100"), speed_of("25000M"), speed_of("400Gbps")
    (100.0, 25.0, 400.0)
    """
    if not text.strip():
        return NAN
    found = _SPEED.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"speed {text.strip()[:40]!r} is not understood; expected Gb/s, such as 100 or 100G, or 25000M")
    value = float(found[1]) / (1000 if found[2] in ("M", "m") else 1)
    if not 0 < value <= MOST_GBPS:
        raise ValueError(f"speed {text.strip()!r} is beyond any port; a bare number is in Gb/s, write Mb/s as 100000M")
    return value


def length_of(text: str, unit: str = "") -> float:
    """Metres; a bare number is in ``unit``, NaN where nothing is written. Raises ValueError.

    >>> length_of("3"), length_of("10 ft"), length_of("50", "cm")
    (3.0, 3.048, 0.5)
    """
    if not text.strip():
        return NAN
    found = _LENGTH.fullmatch(text.strip())
    per = _METRES.get((found[2] or unit.strip()).lower()) if found else None
    if found is None or per is None:
        units = "m, cm, km, ft, in, mi"
        raise ValueError(f"length {' '.join((text.strip() + ' ' + unit).split())[:40]!r} is not understood; units are {units}")
    value = round(float(found[1]) * per, 6)
    if value > MOST_METRES:
        raise ValueError(f"length {text.strip()!r} is beyond any cable")
    return value


_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(ns|us|µs|ms|s)")
_PICOSECONDS = {"ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12}
MOST_SECONDS = 100


def duration_of(text: str) -> int:
    """Picoseconds. Raises ValueError.

    >>> duration_of("100us"), duration_of("1.5 ms")
    (100000000, 1500000000)
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"duration {text.strip()[:40]!r} is not understood; expected a number with ns, us, ms or s, such as 100us"
        )
    value = round(Fraction(found[1]) * _PICOSECONDS[found[2]])
    if value > MOST_SECONDS * 10**12:
        raise ValueError(f"duration {text.strip()!r} is beyond {MOST_SECONDS} s")
    return value


def bytes_of(text: str) -> float:
    """Bytes: ``KiB``, ``MiB``, ``GiB`` are powers of 1024, ``kB``, ``MB``, ``GB`` of 1000. Raises ValueError.

    >>> bytes_of("512 MiB"), bytes_of("2GB"), bytes_of("4096")
    (536870912.0, 2000000000.0, 4096.0)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None or (found[3] and not found[2]):
        raise ValueError(f"size {text.strip()[:40]!r} is not understood; expected bytes, such as 4096, 512MiB or 2GB")
    value = float(found[1]) * float((1024 if found[3] else 1000) ** _PREFIX[found[2]])
    if not 0 <= value <= MOST_BYTES:
        raise ValueError(f"size {text.strip()!r} is beyond any buffer")
    return value
