"""The table of formats. A reader is a module of this folder with ``NAME``, ``matches(head)`` and ``read(source)``.

The order matters only for speed: the first line or two of a file belong to one format, and a test asserts that a sample
of each format matches exactly one reader. A module is imported when a file gets as far as it.
"""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from pauseproof.readers.source import Source

FIRST = ("subnet_lst", "fdbs", "lfts")  # what most folders hold
CABLING = ("ibnetdiscover", "ibnetdiscover_ports", "subnet_lst", "db_csv", "ibutils_topo")
TABLES = ("fdbs", "lfts", "fts", "far")
LABELS = ("sl2vl", "slvl", "psl", "path_records", "guid2lid", "mcfdbs")
CABLES = (
    *("cable_csv", "layer1", "clab", "ptm_dot", "lldp_table", "lldpctl"),
    *("minigraph", "node_link", "graphml"),
)
ROUTES = ("frr_routes", "linux_routes", "eos_routes", "appl_db", "aft", "batfish_routes", "route_csv")
ADDRESSES = ("linux_addresses", "linux_nexthops")
CLASSES = ("config_db", "sysctl", "declarations")
OTHER = ("native", "ibnetdiscover_cache", "unmodelled")
MODULES = tuple(dict.fromkeys((*FIRST, *CABLING, *TABLES, *LABELS, *CABLES, *ROUTES, *ADDRESSES, *CLASSES, *OTHER)))


class Reader(Protocol):
    """What every reader module has. ``read`` raises BadInput where the text is not what ``matches`` took it for."""

    NAME: str

    def matches(self, head: bytes) -> bool:
        """Is a file that begins with these (at most 4096) bytes of this format?"""

    def read(self, source: Source) -> Any:
        """The records of the file, or a tuple of records."""


@cache
def reader(module: str) -> Reader:
    """The reader in one module of this folder."""
    found: Any = import_module(f"pauseproof.readers.{module}")
    return found  # type: ignore[no-any-return]


def readers() -> Iterator[Reader]:
    """Every reader, in the order of the table."""
    return map(reader, MODULES)


def reader_for(head: bytes) -> Reader | None:
    """The reader of a file that begins like this, None where the format is not known."""
    return next((one for one in readers() if one.matches(head)), None)


def names(modules: tuple[str, ...]) -> str:
    """The formats' names as one phrase."""
    return ", ".join(reader(module).NAME for module in modules)
