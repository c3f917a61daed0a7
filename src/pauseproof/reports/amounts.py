"""Amounts as people read them: bytes and seconds with a fitting unit, three digits."""

_BYTES = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def bytes_words(amount: float) -> str:
    """Powers of ten, as network engineers count.

    >>> bytes_words(0), bytes_words(999), bytes_words(1536e6)
    ('0 B', '999 B', '1.54 GB')
    """
    unit = 0
    while abs(amount) >= 999.5 and unit < len(_BYTES) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{_three(amount)} {_BYTES[unit]}"


def seconds_words(amount: float) -> str:
    """Down to nanoseconds.

    >>> seconds_words(0.0125), seconds_words(75), seconds_words(0)
    ('12.5 ms', '75 s', '0 s')
    """
    for size, unit in _SECONDS:
        if amount >= size * 0.9995:
            return f"{_three(amount / size)} {unit}"
    return "0 s"


def _three(amount: float) -> str:
    """Three digits, without zeros that say nothing.

    >>> _three(1.5), _three(100), _three(12.34)
    ('1.5', '100', '12.3')
    """
    if amount >= 999.5:
        return f"{amount:,.0f}"
    text = f"{amount:.3g}"
    return f"{float(text):g}"
