"""Which classes each port of a fabric has: read, declared, or unknown; and the tunnels between its switches."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place, Problem
from pauseproof.readers.declared import PLACELESS, Classes, Declarations, TunnelLine
from pauseproof.readers.native_lines import Word
from pauseproof.readers.roce_records import ConfigDb
from pauseproof.routing.class_hops import Rewrite, Side
from pauseproof.routing.config_classes import DeviceConfig, TunnelMaps, devices
from pauseproof.routing.native_names import Names, is_pattern
from pauseproof.routing.port_classes import DSCPS, Profile, declared_profile, overridden


class Packing(NamedTuple):
    """Switch ``at`` puts packets into a tunnel to ``to`` (-1: not in the fabric), whose outer destination is ``address``."""

    at: int
    to: int
    address: str
    maps: TunnelMaps
    standby: tuple[Word, ...] = ()


@dataclass
class FabricClasses:
    """Looks the classes of ports up. ``problems`` collects what is wrong with what was read and declared."""

    fabric: Fabric
    configs: Sequence[ConfigDb]
    declared: Declarations
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def names(self) -> Names:
        """Looks names of switches and ports up."""
        return Names(self.fabric, None)

    @cached_property
    def devices(self) -> dict[str, DeviceConfig]:
        """The configurations by device."""
        return devices(self.configs)

    @property
    def anything(self) -> bool:
        """Is there any word on classes at all?"""
        declared = self.declared
        roles = [role for role in declared.roles if not role.hashes_alone]
        said = not declared.classes.silent or declared.traffic or roles or declared.remaps
        return bool(said) or any(device.classes_packets for device in self.devices.values())

    @cached_property
    def lossless(self) -> tuple[int, ...]:
        """The priorities that are lossless where a switch says nothing itself: declared, else those of the data."""
        classes = self.declared.classes
        if classes.lossless is not None:
            return classes.lossless
        plain = declared_profile(classes, ())
        return tuple(sorted({plain.tc_of_dscp[d] for d in self.declared.traffic.get("data", ())}))

    @property
    def declares_default(self) -> bool:
        """Is it declared how switches class packets that do not say so themselves?"""
        return not self.declared.classes.silent or bool(self.declared.traffic)

    def _overrides(self, switch: str) -> list[Classes]:
        """What the roles of a switch declare."""
        matches = self._role_members
        roles = enumerate(self.declared.roles)
        return [role.classes for i, role in roles if switch in matches[i] and not role.hashes_alone]

    @cached_property
    def _role_members(self) -> list[set[str]]:
        return [{self.fabric.node_name[s] for s in self.names.switches(role.match)} for role in self.declared.roles]

    def sides(self, s: int) -> list[Side | None]:
        """The side of each port of a switch, port 0 first; None where its classes are not known."""
        name, radix = self.fabric.node_name[s], int(self.fabric.node_ports[s])
        overrides, tunnel = self._overrides(name), self.unpacking.get(s)
        out: list[Side | None] = []
        for port in range(radix + 1):
            profile = self._profile(name, self.fabric.port_name(s, port) if port else "")
            for classes in overrides:
                profile = overridden(profile or declared_profile(classes, classes.lossless or ()), classes)
            out.append(None if profile is None else Side(profile, tunnel))
        return out

    def _profile(self, device: str, port: str) -> Profile | None:
        config = self.devices.get(device)
        if config is not None and config.classes_packets:
            return config.profile(self._sonic_name(device, port))
        return self._default if self.declares_default else None

    @cached_property
    def _default(self) -> Profile:
        return declared_profile(self.declared.classes, self.lossless)

    def _sonic_name(self, device: str, port: str) -> str:
        """Cabling may call a port by its alias."""
        return self._aliases[device].get(port, port)

    @cached_property
    def _aliases(self) -> dict[str, dict[str, str]]:
        return {
            name: {row["alias"]: port for port, row in device.rows("PORT").items() if row.get("alias")}
            for name, device in self.devices.items()
        }

    def remaps(self, s: int) -> dict[tuple[int, int], int]:
        """(in-port, out-port) -> the number of the first declared remap that matches the turn."""
        out: dict[tuple[int, int], int] = {}
        for i, line in enumerate(self.declared.remaps):
            if s in self._remap_switches[i]:
                into, leaving = (self._ports(s, words) for words in (line.into, line.out))
                for turn in ((a, b) for a in into for b in leaving):
                    out.setdefault(turn, i)
        return out

    def rewrite(self, i: int) -> Rewrite:
        """What a declared remap does."""
        line = self.declared.remaps[i]
        return Rewrite(tuple(line.dscp.get(d, d) for d in range(DSCPS)), line.queue == "old")

    @cached_property
    def _remap_switches(self) -> list[set[int]]:
        return [set(self._switches(line.at)) for line in self.declared.remaps]

    def _switches(self, words: tuple[Word, ...]) -> list[int]:
        """Roles, names and patterns of switches."""
        roles = {role.name.text: members for role, members in zip(self.declared.roles, self._role_members, strict=True)}
        of_roles = {self.names.node[name] for word in words for name in roles.get(word.text, ())}
        return sorted(of_roles | set(self.names.switches(tuple(word for word in words if word.text not in roles))))

    def _ports(self, s: int, words: tuple[Word, ...]) -> set[int]:
        """The ports that words mean: ``*``, ``hosts``, a port, a neighbour, or the neighbours of a role."""
        roles = {role.name.text: members for role, members in zip(self.declared.roles, self._role_members, strict=True)}
        found: set[int] = set()
        for word in words:
            if word.text not in roles:
                found.update(self.names.ports(s, word))
            for name in sorted(roles.get(word.text, ())):
                found.update(self.names.ports(s, Word(name, word.place)))
        return found

    @cached_property
    def unpacking(self) -> dict[int, TunnelMaps]:
        """The tunnel that ends at each switch: what is declared, over what is configured."""
        out: dict[int, TunnelMaps] = {}
        for name, device in self.devices.items():
            s, tunnels = self._switch(name), device.tunnels()
            if s >= 0 and tunnels:
                out[s] = tunnels[0]
                self.problems += [_unlike(tunnel, tunnels[0], name) for tunnel in tunnels if _does(tunnel) != _does(tunnels[0])]
        for line in self.declared.tunnels:
            for word in (line.at, line.to):
                if (s := self._needed(word)) >= 0:
                    out.setdefault(s, declared_tunnel(line))
        return out

    @cached_property
    def packing(self) -> list[Packing]:
        """Every tunnel that a switch puts packets into: those declared, then those of configured peers."""
        out = []
        for line in self.declared.tunnels:
            s, peer = self._needed(line.at), self._needed(line.to)
            if s >= 0 and peer >= 0:
                maps = declared_tunnel(line) if line.dscp else self.unpacking[s]
                out.append(Packing(s, peer, line.address or self.unpacking[peer].address, maps, line.standby))
        told = {(packing.at, packing.to) for packing in out}
        for name, device in self.devices.items():
            s = self._switch(name)
            for other, row in device.rows("PEER_SWITCH").items():
                peer = self._switch(other)
                if s in self.unpacking and (s, peer) not in told:
                    out.append(Packing(s, peer, row.get("address_ipv4", ""), self.unpacking[s]))
        return out

    def _switch(self, name: str) -> int:
        n = self.names.node.get(name, -1)
        return n if n < self.fabric.n_switches else -1

    def _needed(self, word: Word) -> int:
        if is_pattern(word):
            self.names.wrong(word, f"{word.text!r} is a pattern; a tunnel is between two switches")
            return -1
        found = self.names.switches((word,))
        return found[0] if found else -1

    def places(self, device: str, port: str, field: str) -> tuple[Place, ...]:
        """Where it is said how a port classes packets: its row, and the map that its ``field`` names."""
        config = self.devices.get(device)
        if config is None or not config.classes_packets:
            return (self.declared.place,) if self.declared.file else ()
        return config.places(self._sonic_name(device, port), field)

    def look_up(self) -> None:
        """Look every declared name up, and every map, so that all that is wrong is said at once."""
        for s in range(self.fabric.n_switches):
            self.sides(s), self.remaps(s)
        self.packing  # noqa: B018
        self._check_turns()

    def _check_turns(self) -> None:
        """A remap at ports that are not there would go without: its words mean a port of some switch that it is at."""
        general = {"hosts", "above", "below", *(role.name.text for role in self.declared.roles)}
        for line, switches in zip(self.declared.remaps, self._remap_switches, strict=True):
            for word in (*line.into, *line.out):
                if switches and word.text not in general and not any(self.names.ports(s, word) for s in switches):
                    message = f"{word.text!r} is neither a port of {line.at[0].text} nor a neighbour; expected one, or a role"
                    self.problems.append(Problem(word.place, message))

    def all_problems(self) -> list[Problem]:
        """Everything that was wrong so far, by place, each once."""
        found = [*self.problems, *self.names.problems, *(p for device in self.devices.values() for p in device.problems)]
        return sorted(dict.fromkeys(found), key=lambda problem: (problem.place, problem.message))


def declared_tunnel(line: TunnelLine) -> TunnelMaps:
    """The maps of a declared tunnel."""
    outer = tuple(line.dscp.get(d, d) for d in range(DSCPS))
    return TunnelMaps(f"{line.at.text}-{line.to.text}", line.address, line.mode == "pipe", (), (), (), (), line.place, outer)


def _does(tunnel: TunnelMaps) -> TunnelMaps:
    """What it does to classes alone."""
    return replace(tunnel, name="", address="", place=PLACELESS)


def _unlike(tunnel: TunnelMaps, other: TunnelMaps, device: str) -> Problem:
    message = f"IPINIP tunnels {other.name} and {tunnel.name} of {device} have different maps; expected the same ones"
    return Problem(tunnel.place, message)
