"""Collects routes that a file tells one next hop a row: the rows of a prefix are one route with several next hops."""

from pauseproof.readers.ip_prefix import Prefix
from pauseproof.readers.problems import Problems
from pauseproof.readers.roce_records import Group, NextHop, RouteKind
from pauseproof.readers.route_rows import DISCARD, RouteRows, group_of

_Key = tuple[str, str, Prefix]  # device, VRF, prefix


class HopRows:
    """The next hops so far of each prefix, in the order of the file."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self._found: dict[_Key, tuple[RouteKind, dict[NextHop, None], int]] = {}

    def add(self, key: _Key, kind: RouteKind, hop: NextHop | None, line: int) -> None:
        """One row. ``kind`` is FORWARD for any next hop; DISCARD has none. A next hop told twice is one."""
        known, hops, first = self._found.setdefault(key, (kind, {}, line))
        if known != kind:
            self.problems.add(line, f"the route is {kind} here and {known} in line {first}; expected one of them")
        elif hop is not None:
            hops.setdefault(hop)

    def into(self, rows: RouteRows) -> None:
        """Make a route of each prefix."""
        for (device, vrf, prefix), (kind, hops, line) in self._found.items():
            rows.add(device, vrf, prefix, _group(kind, tuple(hops)), line)


def _group(kind: RouteKind, hops: tuple[NextHop, ...]) -> Group:
    return DISCARD if kind == RouteKind.DISCARD else group_of(hops, local=kind == RouteKind.LOCAL)
