"""A small Clos of Ethernet switches as CSV: three leaves under two spines, as tables and cabling that tests change by a line.

``leafN:swpS`` is cabled to ``spineS:swpN`` with 10.1.S.(2N)/31 (the leaf even); the servers of 10.10.N.0/24 are on
``leafN:swp31``.
"""

import re

LEAVES, SPINES = (1, 2, 3), (1, 2)
CABLES = "a_device,a_port,b_device,b_port,speed\n" + "".join(
    f"leaf{n},swp{s},spine{s},swp{n},100G\n" for n in LEAVES for s in SPINES
)


def _leaf(n: int) -> list[str]:
    rows = [f"leaf{n},10.1.{s}.{2 * n}/31,,swp{s}" for s in SPINES] + [f"leaf{n},10.10.{n}.0/24,,swp31"]
    return rows + [f"leaf{n},10.10.{m}.0/24,10.1.{s}.{2 * n + 1},swp{s}" for m in LEAVES if m != n for s in SPINES]


def _spine(s: int) -> list[str]:
    rows = [f"spine{s},10.1.{s}.{2 * n}/31,,swp{n}" for n in LEAVES]
    return rows + [f"spine{s},10.10.{n}.0/24,10.1.{s}.{2 * n},swp{n}" for n in LEAVES]


ROUTES = "\n".join(
    ["device,prefix,next_hop,interface", *(r for n in LEAVES for r in _leaf(n)), *(r for s in SPINES for r in _spine(s)), ""]
)


def changed(text: str, pattern: str, replacement: str, count: int = 1) -> str:
    """``text`` with a pattern found ``count`` times and replaced; every line of its own."""
    out, found = re.subn(pattern, replacement, text, flags=re.M)
    assert found == count, f"{pattern} is there {found} times"
    return out
