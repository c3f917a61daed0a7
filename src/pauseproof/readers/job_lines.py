"""What a job description says, line by line, before nodes and NICs are looked up in a fabric. The format: docs/jobs.md."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pauseproof.fabric.places import Place
from pauseproof.readers.host_words import Template
from pauseproof.readers.native_lines import Word

Kind = Literal["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "send-recv"]
Algorithm = Literal["ring", "tree", "halving-doubling", "in-network", "direct"]
Split = Literal["round-robin", "all"]
RankOrder = Literal["block", "cyclic"]
PortRule = Literal["qpns", "random", "fixed", "unknown"]

ALGORITHMS: Mapping[Kind, tuple[Algorithm, ...]] = {  # the first is meant where none is said
    "all-reduce": ("ring", "tree", "halving-doubling", "in-network"),
    "all-gather": ("ring", "halving-doubling"),
    "reduce-scatter": ("ring", "halving-doubling"),
    "all-to-all": ("direct",),
    "send-recv": ("direct",),
}
KINDS: tuple[Kind, ...] = tuple(ALGORITHMS)
PLACELESS = Place("")
AXES = ("tensor", "context", "expert", "data", "pipeline")
BUILT_IN = ("world", "node", "rail")
SHARDS = ("batch", "gradients", "optimizer", "parameters", "matrices", "sequence", "layers", "experts")


@dataclass(frozen=True)
class HostsLine:
    """Which host of the fabric each NIC is: by a template, or by a list for each node. Neither: as the names tell."""

    template: Template | None = None
    by_node: Mapping[str, tuple[Word, ...]] = field(default_factory=dict)
    place: Place = PLACELESS


class GroupLine(NamedTuple):
    """Ranks that run collectives together: an axis of ``size`` ranks (0: what the others leave over), or listed ``ranks``.

    ``within``: the axis that it parts further, in runs of neighbours (experts within data). ``shards`` says what its members
    share among them, for the reader.
    """

    name: Word
    size: int = 0
    within: Word | None = None
    ranks: tuple[tuple[int, ...], ...] = ()
    shards: str = ""


class CollectiveLine(NamedTuple):
    """One collective on every group of a kind. ``backward`` and ``closed`` are of send-recv only.

    ``channels`` is 0 where it is one for each NIC. ``beside``: it begins when that one does, else when all before are done.
    """

    name: Word
    group: Word
    kind: Kind
    algorithm: Algorithm
    bytes: float
    place: Place
    backward: float = 0.0
    closed: bool = False
    channels: int = 0
    times: int = 1
    beside: Word | None = None


class FlowLine(NamedTuple):
    """A flow between two hosts that is said as it is. ``qpns`` and ``sport`` are -1 where they are not given."""

    src: Word
    dst: Word
    bytes: float
    sqpn: int = -1
    dqpn: int = -1
    sport: int = -1


@dataclass(frozen=True)
class JobLines:
    """A job description: well formed, names not looked up.

    ``nodes`` are names and patterns in the order of ranks; ``n_nodes`` is 0 where no number of nodes is given. ``gpus`` and
    ``nics`` are of one node, 0 where not given; ``devices`` hosts make one NIC. ``gpu_nics[g]``: the NICs of GPU ``g``, empty
    for an even share. ``message`` is the size of one message in bytes, 0 for a long stream of them. ``ack`` is the part of the
    data that comes back as acknowledgements, ``cts`` the bytes that come back for each message; both 0 where what comes back is
    left out. ``aggregation`` maps aggregation nodes to those above. ``topology`` and ``graph`` are paths of files beside this
    one; what they say is in ``gpus``, ``nics``, ``gpu_nics``, and in ``channel_nics``: by algorithm, the NICs by which each
    channel enters and leaves a whole node.
    """

    file: str
    place: Place
    name: str = ""
    nodes: tuple[Word, ...] = ()
    n_nodes: int = 0
    gpus: int = 0
    nics: int = 0
    devices: int = 1
    gpu_nics: tuple[tuple[int, ...], ...] = ()
    hosts: HostsLine = field(default_factory=HostsLine)
    rank_order: RankOrder = "block"
    groups: tuple[GroupLine, ...] = ()
    order: tuple[Word, ...] = ()
    collectives: tuple[CollectiveLine, ...] = ()
    flows: tuple[FlowLine, ...] = ()
    qps: int = 1
    split: Split = "round-robin"
    message: float = 0.0
    pxn: bool = True
    cross_nic: bool = False
    sport: PortRule = "qpns"
    fixed_sport: int = -1
    sport_place: Place | None = None  # where a rule is said
    seed: int = 0
    ack: float = 0.0
    cts: float = 0.0
    aggregation: Mapping[str, Word] = field(default_factory=dict)
    topology: Word | None = None
    graph: Word | None = None
    channel_nics: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
