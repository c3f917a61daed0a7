"""What pauseproof found, as plain data: no words of presentation, no colours.

A *finding* names a rule, a sentence, an identity that is the same from every input format, and places. A loop is a list of
hops: the buffer at each receiving end, and a packet that makes it wait for the next.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pauseproof.fabric.places import Place


class Verdict(StrEnum):
    """The three answers."""

    DEADLOCK_FREE = "DEADLOCK_FREE"
    DEADLOCK_POSSIBLE = "DEADLOCK_POSSIBLE"
    UNDECIDED = "UNDECIDED"


class Severity(StrEnum):
    """How much a finding matters, least first."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Because:
    """A packet that sits in one buffer and waits for the next: who sent it, to whom, and the table row that says so."""

    source: str
    destination: str
    label: str
    switch: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class LoopHop:
    """One buffer of a loop: the ingress buffer of ``device`` on ``port``, fed by ``from_device`` through ``from_port``.

    ``waits_for`` names the buffers of the packet's choice set where that is more than the next hop's, as in a stuck set;
    ``device_id`` and ``from_id`` are GUIDs or device names; ``because`` tells why a packet in it waits for the next hop's.
    """

    device: str
    device_id: str
    port: str
    lane: str
    from_device: str
    from_id: str
    from_port: str
    because: Because | None = None
    waits_for: tuple[str, ...] = ()

    @property
    def buffer(self) -> str:
        """The buffer's identity, ``device/port/lane``."""
        return f"{self.device_id}/{self.port}/{self.lane}"

    @property
    def title(self) -> str:
        """The link that feeds it, as :func:`pauseproof.fabric.naming.link_title` says it."""
        return f"{self.from_device} port {self.from_port} -> {self.device} port {self.port}"


@dataclass(frozen=True, slots=True)
class LinkLoad:
    """The most that hosts within their own rates can bring over one link of a loop, in its lane, and who exceeds its rate.

    ``rate`` and ``most`` in Gb/s, or in links where ``relative`` (no speed is known). ``sends`` are (source, receiver, rate),
    of as few senders as were found, ``fewest`` where fewer cannot; none where the link cannot be overloaded. ``declared`` is
    the least and the most that declared flows bring, which differ where hashes decide; None where none are declared.
    """

    from_device: str
    from_port: str
    device: str
    port: str
    lane: str
    rate: float
    most: float
    relative: bool
    sends: tuple[tuple[str, str, float], ...]
    fewest: bool
    declared: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Conditions:
    """What can fill a loop: its links, and (host, buffers between it and the loop) whose pause backs up into all of it."""

    links: tuple[LinkLoad, ...]
    triggers: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class FlowWords:
    """A packet that can be typed into a traffic generator; without addresses where these are not known, as on InfiniBand.

    ``more`` are further header fields that some hash looks at and that are not zero.
    """

    source: str
    destination: str
    label: str
    src_ip: str = ""
    dst_ip: str = ""
    protocol: int = 0
    src_port: int = 0
    dst_port: int = 0
    more: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DependencyFact:
    """One dependency of a loop: does a packet carry it, which one, and why that is not known where it is not.

    ``carried``: does a flow of the job that was asked about (None: none was).
    """

    buffer: str
    waits_for: str
    routable: bool | None
    why: str
    flow: FlowWords | None
    carried: bool | None = None


@dataclass(frozen=True, slots=True)
class Carries:
    """What realize found of a loop: its dependencies in order, and flows that carry all, with how many each carries.

    ``fewest`` where no fewer flows that stay on the loop do.
    """

    dependencies: tuple[DependencyFact, ...]
    flows: tuple[tuple[FlowWords, int], ...]
    fewest: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. ``rule`` is the code (PP101), ``slug`` the name, ``fix`` one sentence."""

    rule: str
    slug: str
    severity: Severity
    message: str
    identity: str
    where: tuple[Place, ...] = ()
    loop: tuple[LoopHop, ...] = ()
    fix: str = ""
    conditions: Conditions | None = None
    carries: Carries | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One independent fact behind a verdict, and how it was obtained."""

    kind: str  # structural, routable, carried, oversubscribable, triggers, replayed; certificate for DEADLOCK_FREE
    statement: str


@dataclass(frozen=True)
class FabricReport:
    """The verdict on one fabric for one traffic class, with its coverage and assumptions.

    ``coverage`` has at least traffic, switches, hosts, pairs, unroutable_pairs, looping_pairs, unknown_pairs, buffers,
    dependencies, tables. ``other_traffic`` maps each traffic class not asked for to the verdict it would have.
    ``hashes_to_ask``: the input tells of hashes, and it was not asked yet which dependencies they let packets carry.
    """

    name: str
    kind: str
    verdict: Verdict
    reason: str
    evidence: tuple[Evidence, ...]
    assumptions: tuple[str, ...]
    coverage: dict[str, int | str]
    cyclic_components: tuple[int, ...]
    findings: tuple[Finding, ...]
    other_traffic: dict[str, Verdict] = field(default_factory=dict)
    hashes_to_ask: bool = False


class Input(Protocol):
    """One file that was read as ``format``, or skipped (``skipped`` says why); its digest is computed when asked for."""

    @property
    def path(self) -> str:
        """As the user wrote it."""

    @property
    def sha256(self) -> str:
        """Of the file as it lies on disk, in hex."""

    @property
    def format(self) -> str:
        """The name of the format, empty where it was skipped."""

    @property
    def skipped(self) -> str:
        """Why it was not read, empty where it was."""


@dataclass(frozen=True)
class Report:
    """The answer to one ``verify``."""

    inputs: tuple[Input, ...]
    fabrics: tuple[FabricReport, ...]
