"""What a ``pauseproof.yaml`` says, line by line, before names are looked up. The format is told in docs/declarations.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pauseproof.fabric.places import Place, Remark
from pauseproof.readers.hash_lines import SILENT, Hashing, HashLine
from pauseproof.readers.native_lines import End, Word

IncompleteArp = Literal["", "flood", "drop"]
Adaptive = Literal["", "committed", "reselecting"]
Mode = Literal["pipe", "uniform"]
DIRECTIONS = ("data", "ack", "cnp", "cts")
PLACELESS = Place("")


@dataclass(frozen=True)
class Classes:
    """How switches class packets; None where nothing is said.

    ``lossless`` are PFC priorities, ``dscp`` gives DSCPs their priority, ``groups`` are the priorities that share a
    priority group (a group goes by its least priority).
    """

    lossless: tuple[int, ...] | None = None
    dscp: Mapping[int, int] | None = None
    groups: tuple[tuple[int, ...], ...] | None = None

    @property
    def silent(self) -> bool:
        """Nothing is said."""
        return self.lossless is None and self.dscp is None and self.groups is None


class RoleLine(NamedTuple):
    """Switches that class packets, or hash, in their own way: those whose name matches one of the patterns."""

    name: Word
    match: tuple[Word, ...]
    classes: Classes
    hashing: HashLine = SILENT

    @property
    def hashes_alone(self) -> bool:
        """The role is there for its hash settings and says nothing of classes."""
        return self.classes.silent and not self.hashing.silent


class RemapLine(NamedTuple):
    """At matching turns the DSCP is rewritten; ``queue`` tells whether the old or the new DSCP picks the egress queue."""

    at: tuple[Word, ...]
    into: tuple[Word, ...]
    out: tuple[Word, ...]
    dscp: Mapping[int, int]
    queue: Literal["old", "new"]
    place: Place


class HostLine(NamedTuple):
    """A host. ``addresses`` are reached by each of its ``ports``: two and more are a bond, on one switch or on several."""

    name: Word
    ports: tuple[End, ...]
    addresses: tuple[Word, ...]


class TunnelLine(NamedTuple):
    """Packets that ``at`` sends to one of ``standby`` (addresses, prefixes, or hosts) go to ``to`` in a tunnel.

    ``to`` is the switch that unpacks them, ``address`` (may be empty) the outer destination. ``dscp`` gives the outer DSCP,
    that of the packet where it is silent; in mode ``uniform`` the outer DSCP outlives the tunnel.
    """

    at: Word
    to: Word
    address: str
    dscp: Mapping[int, int]
    mode: Mode
    standby: tuple[Word, ...]
    place: Place


@dataclass(frozen=True)
class Declarations:
    """A ``pauseproof.yaml`` beside the dumps: well formed, names not looked up. Empty values where nothing is declared.

    ``traffic`` gives the DSCPs of each direction in DIRECTIONS; ``lags`` and ``vlans`` map (device, interface) to ports.
    ``ttl`` is 0 and ``vrf`` empty where nothing is said.
    """

    file: str
    place: Place = PLACELESS
    classes: Classes = field(default_factory=Classes)
    traffic: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    roles: tuple[RoleLine, ...] = ()
    remaps: tuple[RemapLine, ...] = ()
    hosts: tuple[HostLine, ...] = ()
    lags: Mapping[tuple[str, str], tuple[Word, ...]] = field(default_factory=dict)
    vlans: Mapping[tuple[str, str], tuple[Word, ...]] = field(default_factory=dict)
    tunnels: tuple[TunnelLine, ...] = ()
    incomplete_arp: IncompleteArp = ""
    ttl: int = 0
    adaptive: Adaptive = ""
    vrf: str = ""
    hashing: Hashing = field(default_factory=Hashing)
    remarks: tuple[Remark, ...] = ()
