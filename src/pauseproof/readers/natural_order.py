"""The order in which people count ports: swp2 comes before swp10."""

import re

_DIGITS = re.compile(r"([0-9]{1,18})")


def natural_order(name: str) -> tuple[tuple[tuple[str, int], ...], str]:
    """A key to sort by.

    >>> sorted(["swp10", "swp2", "Ethernet1/12", "Ethernet1/2"], key=natural_order)
    ['Ethernet1/2', 'Ethernet1/12', 'swp2', 'swp10']
    """
    return tuple(("", int(part)) if i % 2 else (part, 0) for i, part in enumerate(_DIGITS.split(name))), name
