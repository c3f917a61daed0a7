"""What was read, and what was declared, of how each switch hashes: statements in the words of their source, uninterpreted.

What they mean together is :mod:`pauseproof.hashing.settings`. A statement is named ``TABLE.field`` for SONiC (of
DEVICE_METADATA|localhost, SWITCH_HASH|GLOBAL, SWITCH_TABLE|switch), and as the kernel names it for a sysctl.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.places import Place
from pauseproof.readers.declared import Declarations
from pauseproof.readers.hash_lines import NOWHERE, SILENT, Hashing, HashLine
from pauseproof.readers.roce_records import ConfigDb, SysctlRecords

if TYPE_CHECKING:
    from pauseproof.routing.native_names import Names

SONIC_ROWS = (("DEVICE_METADATA", "localhost"), ("SWITCH_HASH", "GLOBAL"), ("SWITCH_TABLE", "switch"))


class Said(NamedTuple):
    """A value as text, and where it stands; ``also`` where another file has another value."""

    text: str
    place: Place
    also: Place | None = None


@dataclass(frozen=True)
class SwitchFacts:
    """Of one switch. ``declared`` overrides what was ``read``, the first line that speaks of a key counting."""

    read: Mapping[str, Said] = field(default_factory=dict)
    declared: tuple[HashLine, ...] = ()

    @property
    def is_sonic(self) -> bool:
        """Was any row of SONiC's databases read?"""
        return any("." in name and not name.startswith("net.") for name in self.read)


@dataclass(frozen=True)
class HashFacts:
    """Of a fabric: ``switches`` [S], and what holds for every switch that says nothing itself (``every``).

    ``sport`` is the UDP source port that all traffic was declared to have, -1 where it varies or nothing was declared.
    """

    switches: tuple[SwitchFacts, ...] = ()
    every: HashLine = SILENT
    sport: int = -1
    sport_place: Place = NOWHERE

    def of(self, s: int) -> SwitchFacts:
        """Those of switch ``s``; nothing where no input speaks of switches."""
        return self.switches[s] if s < len(self.switches) else SwitchFacts()

    @property
    def spoken_of(self) -> bool:
        """Does any input say anything of hashes?"""
        said = (name for facts in self.switches for name in facts.read)
        declared = any(facts.declared for facts in self.switches) or not self.every.silent or self.sport >= 0
        return declared or any(name.startswith(("SWITCH_", "net.")) for name in said)


def facts_read(configs: Iterable[ConfigDb], sysctls: Iterable[SysctlRecords]) -> dict[str, dict[str, Said]]:
    """The statements of all files, by device."""
    out: dict[str, dict[str, Said]] = {}
    for config in configs:
        for table, key in SONIC_ROWS:
            row = config.tables.get(table, {}).get(key, {})
            place = Place(config.file, config.lines.get((table, key), 0))
            for name, text in row.items():
                _say(out.setdefault(config.device, {}), f"{table}.{name.rstrip('@')}", text, place)
    for record in sysctls:
        for name, value in record.values.items():
            _say(out.setdefault(record.device, {}), name, str(value), Place(record.file, record.lines[name]))
    return out


def _say(said: dict[str, Said], name: str, text: str, place: Place) -> None:
    first = said.setdefault(name, Said(text, place))
    if first.text != text and first.also is None:
        said[name] = first._replace(also=place)


def dumped_facts(
    fabric: Fabric, configs: Sequence[ConfigDb], sysctls: Sequence[SysctlRecords], declared: Declarations, names: "Names"
) -> HashFacts:
    """The facts of a fabric that was read. Words that mean no switch become problems of ``names``."""
    read = facts_read(configs, sysctls)
    lines = _by_switch(declared.hashing, names)
    for role in reversed(declared.roles):
        if not role.hashing.silent:
            for s in names.switches(role.match):
                lines.setdefault(s, []).append(role.hashing)
    switches = tuple(SwitchFacts(read.get(fabric.node_name[s], {}), tuple(lines.get(s, ()))) for s in range(fabric.n_switches))
    return HashFacts(switches, declared.hashing.every, declared.hashing.sport, declared.hashing.sport_place)


def declared_facts(hashing: Hashing, names: "Names") -> HashFacts:
    """The facts of a topology file: what its ``hashing`` section declares."""
    lines = _by_switch(hashing, names)
    switches = tuple(SwitchFacts(declared=tuple(lines.get(s, ()))) for s in range(names.fabric.n_switches))
    return HashFacts(switches, hashing.every, hashing.sport, hashing.sport_place)


def _by_switch(hashing: Hashing, names: "Names") -> dict[int, list[HashLine]]:
    """The lines of each switch: those by name before those by tier, later ones before earlier ones."""
    out: dict[int, list[HashLine]] = {}
    by_name = [rule for rule in hashing.some if rule.tier is None]
    by_tier = [rule for rule in hashing.some if rule.tier is not None]
    for rule in (*reversed(by_name), *reversed(by_tier)):
        if rule.tier is None:
            found = names.switches(rule.switches)
        else:
            found = in_tier(names.tier, int(rule.tier.text))
            if not found:
                known = "none is known" if names.tier is None else f"there are {sorted(set(names.tier.tolist()))}"
                names.wrong(rule.tier, f"no switch is in tier {rule.tier.text}; {known}")
        for s in found:
            out.setdefault(s, []).append(rule.line)
    return out


def in_tier(tiers: Ids | None, tier: int) -> list[int]:
    """The switches of a tier."""
    return [] if tiers is None else [s for s, t in enumerate(tiers.tolist()) if t == tier]
