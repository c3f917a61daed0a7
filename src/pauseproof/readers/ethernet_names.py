"""One name for each device and each port, where files call them differently.

Devices: ``leaf1.example.com`` is ``leaf1``, and ``LEAF1`` is, where the latter has a table or is named so elsewhere. Ports:
``fortyGigE0/112`` is ``Ethernet112`` where an alias says so; names that differ in case are different ports. An alias may look
like the name of another port (Ethernet4): files that speak in aliases are understood so, all others mean the name.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pauseproof.fabric.places import Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.roce_records import CableRecords

End = tuple[str, str]  # device, port
Aliases = Mapping[str, Mapping[str, str]]  # device -> alias -> name

SPEAK_IN_ALIASES = {"minigraph": (True, True), "lldp-table": (False, True), "lldpctl": (False, True)}


@dataclass(frozen=True)
class Names:
    """``devices`` gives names as written the names in use; ``ports`` the same of each device's ports."""

    devices: Mapping[str, str] = field(default_factory=dict)
    ports: Aliases = field(default_factory=dict)

    def device(self, name: str) -> str:
        """The device's name in use."""
        return self.devices.get(name, name)

    def end(self, device: str, port: str, *, alias_first: bool = False) -> End:
        """A port as (device, port) by the names in use.

        >>> Names({}, {"leaf1": {"etp1": "Ethernet0"}}).end("leaf1", "etp1")
        ('leaf1', 'Ethernet0')
        """
        device = self.device(device)
        aliases = self.ports.get(device, {})
        if not alias_first and port in aliases.values():
            return device, port
        return device, aliases.get(port, port)


def names_in_use(records: Sequence[CableRecords], known: Collection[str], aliases: Aliases) -> Names:
    """The names of all files brought together. Raises BadInput where two long names could be one short one."""
    stated: dict[str, Place] = {}
    for record in records:
        for column in (record.a_device, record.b_device):
            for device, line in zip(column, record.line.tolist(), strict=True):
                stated.setdefault(device, Place(record.file, line))
    devices = _devices(stated, frozenset(known))
    ports: dict[str, dict[str, str]] = {device: dict(names) for device, names in aliases.items()}
    for record in records:
        for device, names in record.aliases.items():
            ports.setdefault(devices.get(device, device), {}).update(names)
    return Names(devices, ports)


def _devices(stated: Mapping[str, Place], known: frozenset[str]) -> dict[str, str]:
    folded: dict[str, list[str]] = {}
    for name in known:
        folded.setdefault(name.casefold(), []).append(name)
    out: dict[str, str] = {}
    domain: dict[str, str] = {}
    problems = []
    for name in (name for name in stated if name not in known):
        short = name.partition(".")[0]
        same = folded.get(name.casefold(), [])
        if len(same) == 1:
            out[name] = same[0]
        elif short != name and not short.isdecimal() and (short in known or short in stated):
            first = domain.setdefault(short, name)
            if first.casefold().rstrip(".") != name.casefold().rstrip("."):
                problems.append(Problem(stated[name], f"{first!r} and {name!r} could both be {short!r}; expected one of them"))
            out[name] = short
    refuse_if(problems)
    return out
