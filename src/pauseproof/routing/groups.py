"""What a hash chooses from: the next hops of a group in their order, their weights, and the cables of each of them.

A table entry lists links, ascending. Most switches need no more: each link is a next hop, all weigh the same, and their order
is that of the links (the *plain* grouping). Where a switch was read to do otherwise, :class:`Grouping` says how: the order
counts because a hash picks "the third one", and a next hop that is a bundle (LAG, PortChannel) is chosen from a second time.

Orders. The Linux kernel hashes over next hops as ``ip`` lists them. FRR keeps them sorted (type, weight, address, interface
index: ``lib/nexthop.c``) and lists them so. SONiC's orchagent sorts them anew (``nexthopkey.h``): by address, then by name of
the interface; an IPv4 address is compared as a machine word, its last byte first (``ipaddress.h``). With ``ordered_ecmp`` the
ASIC is told that order; without it the members are created in it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import NamedTuple

from pauseproof.fabric.model import Ids
from pauseproof.readers.roce_records import NextHop

Links = tuple[int, ...]
OTHER_ORDER = "two dumps of it list the same next hops in another order"
OTHER_WEIGHTS = "two dumps of it list the same next hops with other weights or bundles"
SEVERAL = "it has several groups over these links, which differ in order, weights or bundles"
BANKS = "its buckets lie in several banks, whose layout is not modelled"
RECURSIVE = "a next hop is looked up in the switch's own table: how its links are weighed is not known"


class Member(NamedTuple):
    """One next hop: the links of its cables, ascending (several: a bundle), and its weight in the group."""

    links: Links
    weight: int = 1


@dataclass(frozen=True)
class Grouping:
    """The next hops of a group, in the order in which the switch counts them.

    ``unclear`` says why the order or the weights are not known, empty where they are. ``buckets`` is the size of the table of
    a resilient (fine-grained) group, 0 for a plain one.
    """

    members: tuple[Member, ...]
    unclear: str = ""
    buckets: int = 0

    @property
    def links(self) -> Links:
        """All links, ascending, each once: what the table entry lists."""
        return tuple(sorted({link for member in self.members for link in member.links}))

    @property
    def bundled(self) -> bool:
        """Is some next hop a bundle of several cables?"""
        return any(len(member.links) > 1 for member in self.members)


def plain(links: Sequence[int]) -> Grouping:
    """Every link a next hop of weight 1, in the order of the links.

    >>> plain((3, 5)).members
    (Member(links=(3,), weight=1), Member(links=(5,), weight=1))
    """
    return Grouping(tuple(Member((link,)) for link in links))


def bundles(links: Sequence[int], bundle: Sequence[int] | Ids) -> Grouping:
    """The links that ``bundle`` [L] gives the same number are the cables of one next hop.

    >>> bundles((3, 5, 6), [0, 0, 0, 7, 0, 8, 7]).members
    (Member(links=(3, 6), weight=1), Member(links=(5,), weight=1))
    """
    cables: dict[int, list[int]] = {}
    for link in links:
        cables.setdefault(int(bundle[link]), []).append(link)
    return Grouping(tuple(Member(tuple(together)) for together in cables.values()))


def agreed(a: Grouping, b: Grouping) -> Grouping:
    """Both, where they say the same; else what is left of them, and why.

    >>> agreed(plain((3, 5)), Grouping((Member((5,)), Member((3,))))).unclear
    'two dumps of it list the same next hops in another order'
    """
    if a == b or a.unclear:
        return a
    same = sorted(a.members) == sorted(b.members) and a.buckets == b.buckets
    return Grouping(a.members, OTHER_ORDER if same else b.unclear or OTHER_WEIGHTS, a.buckets)


@dataclass
class Groups:
    """The groups of a fabric while its tables are read, by device name and links: each different one has a number."""

    found: dict[tuple[str, Links], list[Grouping]] = field(default_factory=dict)

    def number(self, device: str, grouping: Grouping) -> int:
        """The number of this grouping among those of ``device`` over the same links."""
        known = self.found.setdefault((device, grouping.links), [])
        if grouping not in known:
            known.append(grouping)
        return known.index(grouping)

    def disputed(self, device: str, links: Links, a: int, b: int) -> int:
        """The number of what is left where one dump says group ``a`` of these links, and another ``b``."""
        known = self.found[device, links]
        return self.number(device, agreed(known[a], known[b]))

    def by_switch(self, switches: Mapping[str, int]) -> dict[tuple[int, Links], tuple[Grouping, ...]]:
        """By switch id and links, where there is more than the plain grouping."""
        named = ((name, links, tuple(known)) for (name, links), known in self.found.items() if known != [plain(links)])
        return {(switches[name], links): known for name, links, known in sorted(named, key=lambda one: one[:2])}


SortKey = Callable[[NextHop], tuple[int, int, str]]


def sonic_order(hop: NextHop) -> tuple[int, int, str]:
    """The key by which orchagent sorts next hops.

    >>> sorted([NextHop("10.0.0.9", "a"), NextHop("10.0.1.2", "b")], key=sonic_order)[0].address
    '10.0.1.2'
    """
    try:
        address = ip_address(hop.address.partition("%")[0])
    except ValueError:
        return 4, 0, hop.interface  # orchagent reads no address as 0.0.0.0
    return address.version, int.from_bytes(address.packed, "little" if address.version == 4 else "big"), hop.interface
