"""How a fabric hashes: at which switch which function with which setting decides over which group.

``hashes_of(network)`` puts together what was read, declared, and taken by default (:mod:`pauseproof.hashing.statements`); a
:class:`Decision` then says for a packet, or for all packets at once, by which link it leaves. Where something is not known the
decision says what, and nobody can ask it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from pauseproof.fabric.naming import some
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.names import LINUX
from pauseproof.hashing.setting import Setting
from pauseproof.hashing.statements import Which, setting_of
from pauseproof.hashing.used_groups import used_groups
from pauseproof.routing.groups import Links
from pauseproof.routing.network import Network
from pauseproof.routing.tables import Route

MODELLED = "hash functions are modelled, and were checked on no switch"
ORDERED = "a hash counts the next hops of a group as {}"
SONIC_ORDER = "SONiC's orchagent sorts them: by address, of IPv4 the last byte first, and by interface name"
LISTED = "the dumps list them"
PORTS = "the names and ports of the neighbours are ordered"
CABLES = "a hash counts the cables of a bundle in the order of their far ends"
TOO_HEAVY = "its weights add up to more slots than a hash of 16 bits has values"
MOST_SLOTS = 1 << 16
_SHOWN = 3
DEALT_BY_WEIGHT = "how a chip deals buckets out by weight is not known"
FILLED = "the buckets of resilient groups belong to the members as when the group was made"


@dataclass(frozen=True, eq=False)
class FabricHashes:
    """The hashes of one network, for packets of one address family."""

    network: Network
    family: int = 4
    _settings: dict[tuple[int, Which], Setting] = field(default_factory=dict, repr=False)
    _decisions: dict[tuple[int, Links, int | None], Decision] = field(default_factory=dict, repr=False)

    def ecmp(self, s: int) -> Setting:
        """How switch ``s`` picks a next hop."""
        return self._setting(s, "ecmp")

    def lag(self, s: int) -> Setting:
        """How switch ``s`` picks a cable of a bundle."""
        return self._setting(s, "lag")

    def _setting(self, s: int, which: Which) -> Setting:
        if (s, which) not in self._settings:
            self._settings[s, which] = setting_of(self.network.hashes, s, which, self.family)
        return self._settings[s, which]

    def decision(self, s: int, links: Sequence[int], number: int | None = None) -> Decision:
        """What switch ``s`` does with packets that it may send out by these links, which are ascending.

        ``number`` is that of the route's group; a switch may have several over the same links.
        """
        key = s, tuple(links), number if (s, tuple(links)) in self.network.groups else None
        if key not in self._decisions:
            self._decisions[key] = self._made(*key)
        return self._decisions[key]

    def of_route(self, s: int, route: Route, links: Sequence[int]) -> Decision:
        """What switch ``s`` does with packets of a route that may take these links of it, ascending."""
        return self.decision(s, links, route.group if tuple(links) == route.links else None)

    def _made(self, s: int, links: Links, number: int | None) -> Decision:
        grouping = self.network.group(s, links, number)
        if self.ecmp(s).algorithm != LINUX and sum(member.weight for member in grouping.members) > MOST_SLOTS:
            members = tuple(member._replace(weight=1) for member in grouping.members)
            grouping = replace(grouping, members=members, unclear=grouping.unclear or TOO_HEAVY)
        members, buckets = grouping.members, grouping.buckets
        weights = tuple(member.weight for member in members)
        if self.ecmp(s).algorithm not in ("", LINUX) and (buckets or self.ecmp(s).buckets) and len(set(weights)) > 1:
            grouping = replace(grouping, unclear=grouping.unclear or DEALT_BY_WEIGHT)
        ecmp = Stage("ecmp", self.ecmp(s), self.ecmp(s).selection(weights, buckets)) if len(members) > 1 else None
        return Decision(s, links, grouping, ecmp, tuple(self._cables(s, len(member.links)) for member in members))

    def _cables(self, s: int, n: int) -> Stage | None:
        return Stage("lag", self.lag(s), self.lag(s).selection((1,) * n)) if n > 1 else None

    def groups(self, s: int) -> Iterator[Decision]:
        """The decisions of switch ``s``: every group of its table that leaves a choice, by its links."""
        yield from (self.decision(s, links, number) for links, number in used_groups(self.network, s))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What decisions rest on: how groups are counted, and what settings took by default or are a model of."""
        return (*self.counting, *self._taken())

    @property
    def counting(self) -> tuple[str, ...]:
        """How the members of groups are counted."""
        network = self.network
        dumped = network.notes.get("routing") == "dumped"
        sonic = any(facts.is_sonic for facts in network.hashes.switches)
        groups = [group for known in network.groups.values() for group in known]
        out = [MODELLED, ORDERED.format(LISTED if dumped else PORTS)]
        out += [SONIC_ORDER] if sonic else []
        out += [CABLES] if network.bundle is not None or any(group.bundled for group in groups) else []
        out += [FILLED] if any(group.buckets for group in groups) else []
        return tuple(out)

    def _taken(self) -> Iterator[str]:
        """What settings took by default, or have as a model of, with some of the switches."""
        switches: dict[str, list[str]] = {}
        bundled = self.network.bundle is not None or any(g.bundled for known in self.network.groups.values() for g in known)
        for s, name in enumerate(self.network.fabric.node_name[: self.network.fabric.n_switches]):
            for setting in (self.ecmp(s), *([self.lag(s)] if bundled else [])):
                for text in (*(f"by default: {default}" for default in setting.defaults), *setting.remarks):
                    switches.setdefault(text, []).append(name)
        for text, named in switches.items():
            yield f"{text} ({some(list(dict.fromkeys(named)), _SHOWN)})"


def hashes_of(network: Network, family: int | None = None) -> FabricHashes:
    """The hashes of a network, for IPv4 packets unless its hosts have no IPv4 addresses."""
    from pauseproof.hashing.addresses import main_family

    return FabricHashes(network, main_family(network) if family is None else family)


__all__ = ["Decision", "FabricHashes", "Setting", "Stage", "hashes_of"]
