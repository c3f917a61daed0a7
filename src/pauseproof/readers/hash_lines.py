"""The ``hashing`` key of a topology file or of ``pauseproof.yaml``: how switches pick one next hop of a group for a flow.

Everything is optional, key by key; what stands at the top is about next hops (ECMP), what stands in ``lag`` about the
cables of a bundle. Which functions the names mean is told in docs/hash-settings.md. It is parsed by
:mod:`pauseproof.readers.hash_section`, which needs YAML; networks that were dumped need only this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pauseproof.fabric.places import Place
from pauseproof.readers.native_lines import Word

FIELDS = (
    *("src-ip", "dst-ip", "proto", "l4-src-port", "l4-dst-port"),
    *("dest-qp", "bth-opcode", "in-port", "vlan", "flow-label"),
)
MODELLED = (
    *("crc16", "ccitt", "crc32lo", "crc32hi", "xor16", "crc16-xor1", "crc16-xor2", "crc16-xor4", "crc16-xor8"),
    *("jenkins-lo", "jenkins-hi"),
)  # as in hashing/algorithms.py
SAI = ("crc", "xor", "crc-32lo", "crc-32hi", "crc-ccitt", "crc-xor", "random", "round-robin")  # what SONiC calls some of them
LINUX = "linux"
ALGORITHMS = (*MODELLED, *SAI, LINUX)
MODES = ("hash", "spray", "flowlet", "dlb")
MOST_SEED = 2**32 - 1
MOST_OFFSET = 15  # bits of the RTAG7 hash that can be rotated
MOST_POLICY = 3
MOST_BUCKETS = 0xFFFF
MOST_PORT = 0xFFFF
DECISION_KEYS = ("mode", "algorithm", "fields", "seed", "offset", "symmetric", "preprocess", "policy", "buckets")
SONIC_TYPE = "sonic-type"
HASHING_KEYS = (*DECISION_KEYS, SONIC_TYPE, "lag")
Value = str | int | bool | tuple[str, ...]


@dataclass(frozen=True)
class DecisionLine:
    """What is declared of one decision: values by key of DECISION_KEYS, or of SONIC_TYPE, and where each stands."""

    values: Mapping[str, Value] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)


NOTHING = DecisionLine()


class HashLine(NamedTuple):
    """What is declared of a switch: for next hops, and for the cables of bundles."""

    ecmp: DecisionLine = NOTHING
    lag: DecisionLine = NOTHING

    @property
    def silent(self) -> bool:
        """Nothing is said."""
        return not self.ecmp.values and not self.lag.values


SILENT, NOWHERE = HashLine(), Place("")


class HashRule(NamedTuple):
    """What is declared of some switches: those of a name or pattern, or of a tier (-1: by name)."""

    switches: tuple[Word, ...]
    tier: Word | None
    line: HashLine


@dataclass(frozen=True)
class Hashing:
    """A whole ``hashing`` section: what holds for every switch that says nothing itself, and for some, later ones first.

    ``sport`` is the UDP source port that all traffic has, -1 where it varies with the queue pair or is not known.
    """

    every: HashLine = SILENT
    some: tuple[HashRule, ...] = ()
    sport: int = -1
    sport_place: Place = NOWHERE
    place: Place = NOWHERE
