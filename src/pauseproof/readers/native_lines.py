"""What a topology file says, line by line, before names are looked up. The format is told in docs/native-format.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from pauseproof.fabric.model import FabricKind
from pauseproof.fabric.places import Place

if TYPE_CHECKING:
    from pauseproof.readers.hash_lines import Hashing


class Word(NamedTuple):
    """A name or pattern, and where it stands."""

    text: str
    place: Place


class End(NamedTuple):
    """One end of a cable: a node and a port; ``port`` is empty where the next free one is meant."""

    node: str
    port: str
    place: Place


class SwitchLine(NamedTuple):
    """A switch. ``ports`` and ``tier`` are -1 where they are not given."""

    name: Word
    ports: int = -1
    tier: int = -1
    hosts: int = 0


class HostLine(NamedTuple):
    """A host. ``ports`` is -1 where it is not given."""

    name: Word
    ports: int = -1


class CableLine(NamedTuple):
    """A cable: Gb/s and metres, NaN where not given."""

    a: End
    b: End
    speed: float
    length: float


class GeneratorLine(NamedTuple):
    """A generator and its parameters, each with its place."""

    family: Word
    parameters: Mapping[str, int | tuple[int, ...]]


class Numbered(NamedTuple):
    """A number of the switches that a name or pattern means."""

    switch: Word
    number: int


class BgpLine(NamedTuple):
    """What the engine ``bgp`` is told: AS numbers by a rule or by switch, later ones overriding earlier ones."""

    rule: Word = Word("distinct", Place(""))  # where ``asn`` says nothing
    asn: tuple[Numbered, ...] = ()
    allowed: tuple[Numbered, ...] = ()  # allowas-in, 0 where nothing is said
    relax: bool = False


class RoutingLine(NamedTuple):
    """An engine of ``pauseproof.routing.engines``, or ``tables``: nothing but the tables of the file.

    ``escape`` is a second engine, whose next hop an adaptive one offers too, in a lane of its own.
    ``bgp`` is there for the engine of that name.
    """

    engine: Word
    roots: tuple[Word, ...] = ()
    escape: Word | None = None
    bgp: BgpLine | None = None


TableKind = Literal["hashed", "adaptive", "drop", "unknown"]


class TableLine(NamedTuple):
    """Table entries: at every switch that matches, for every destination that does."""

    switches: tuple[Word, ...]
    destinations: tuple[Word, ...]
    out: tuple[Word, ...]
    kind: TableKind
    place: Place


class LaneRule(NamedTuple):
    """At matching turns: what each label becomes (``lossy``: it leaves the lanes), and the lane that each label rides."""

    at: tuple[Word, ...]
    into: tuple[Word, ...]
    out: tuple[Word, ...]
    label: Mapping[str, Word]
    lane: Mapping[str, Word]
    place: Place


class SendLine(NamedTuple):
    """The label of the packets of some hosts to some destinations."""

    source: tuple[Word, ...]
    destination: tuple[Word, ...]
    label: Word


class AddressLine(NamedTuple):
    """The address of a host, or a subnet in which the hosts of a pattern have theirs, one after the other."""

    host: Word
    address: Word


@dataclass(frozen=True)
class NativeFile:
    """A topology file that is well formed: keys, numbers and words are legal; names have not been looked up.

    Exactly one of ``generator`` and ``switches`` is there. ``lanes`` and ``labels`` are names; ``lane_of_label`` pairs the
    labels with lanes where they do not ride the lane of their own name. ``expected`` is the truth that a test holds it to.
    """

    path: str
    name: str = ""
    description: str = ""
    kind: FabricKind = "roce"
    generator: GeneratorLine | None = None
    switches: tuple[SwitchLine, ...] = ()
    hosts: tuple[HostLine, ...] = ()
    cables: tuple[CableLine, ...] = ()
    without: tuple[tuple[Word, Word], ...] = ()
    speed: float = float("nan")
    length: float = float("nan")
    routing: RoutingLine | None = None
    reselecting: tuple[Word, ...] = ()  # switches, by name or pattern
    tables: tuple[TableLine, ...] = ()
    lanes: tuple[str, ...] = ("0",)
    labels: tuple[str, ...] = ("0",)
    lane_of_label: tuple[Word, ...] = ()
    lane_rules: tuple[LaneRule, ...] = ()
    send: tuple[SendLine, ...] = ()
    parallel: Word | None = None  # what several cables of two switches are: ecmp, or a bundle
    hashing: "Hashing | None" = None
    addresses: tuple[AddressLine, ...] = ()
    expected: Mapping[str, object] = field(default_factory=dict)
