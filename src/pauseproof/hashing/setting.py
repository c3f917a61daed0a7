"""One setting: by which hash a switch picks a next hop, or a cable of a bundle; what is unknown, what was taken by default.

Nothing is assumed silently: a key that nothing tells is either *unknown*, and then there is no function, or has a default that
its vendor documents, which the setting names. Functions are modelled: see :mod:`pauseproof.hashing.algorithms`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pauseproof.fabric.places import Place
from pauseproof.hashing.algorithms import ALGORITHMS, hash_function, sai_algorithm
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.linux import DEFAULT_FIELDS, Linux
from pauseproof.hashing.selection import Selection, buckets, filled_buckets, modulo, threshold
from pauseproof.readers.hash_lines import LINUX

Kind = Literal["hash", "spray", "flowlet", "dlb"]
WORDS: Mapping[Kind, str] = {
    "hash": "hashes",
    "spray": "sprays packets",
    "flowlet": "moves flowlets by load",
    "dlb": "balances by load",
}


@dataclass(frozen=True)
class Setting:
    """How one decision of a switch is made.

    ``kind`` other than ``hash``: by packet, flowlet or load; for load an ideal split, for deadlock a committed choice.
    ``algorithm`` is a name of ours, or ``linux``; empty where it is not known. ``fields`` are those of
    :data:`pauseproof.hashing.headers.FIELDS`; of Linux they follow from ``policy`` and ``mask`` (fib_multipath_hash_fields).
    ``seed`` is None where it is not known. ``hidden`` are fields that are hashed too and whose values are in no dump: they add
    a constant to a linear function, the same for all packets that enter the switch by one port. ``unknown`` names the keys
    that are not known, each with why; ``defaults`` those that were taken by default, ``remarks`` what else to know; ``places``
    gives the place of each key that was read or declared.
    """

    kind: Kind = "hash"
    algorithm: str = ""
    fields: tuple[str, ...] = ()
    seed: int | None = None
    offset: int = 0
    symmetric: bool = False
    preprocess: bool = False
    policy: int = 0
    mask: int = DEFAULT_FIELDS
    buckets: int = 0
    hidden: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict, compare=False)

    @cached_property
    def _function(self) -> HashFunction | None:
        if self.kind != "hash" or self.unknown or self.seed is None:
            return None
        if self.algorithm == LINUX:
            return Linux(self.policy, self.seed, self.mask)
        return hash_function(
            self.algorithm,
            self.fields,
            seed=self.seed,
            offset=self.offset,
            symmetric=self.symmetric,
            preprocess=self.preprocess,
        )

    def function(self) -> HashFunction | None:
        """The function; None where it is not known, or nothing is hashed."""
        return self._function

    def on_every_way(self) -> HashFunction | None:
        """The function, where its value follows from what the sender made and the port that the packet came by.

        None too where fields are hidden, or the VLAN is hashed: each link may have another.
        """
        function = self.function()
        return None if function is None or self.open or "vlan" in function.fields else function

    @property
    def open(self) -> tuple[str, ...]:
        """Why it is not known what a packet's value is: keys that are not known, and fields whose values are not."""
        hidden = f"fields: {', '.join(self.hidden)} are hashed too, and their values are not known"
        return (*self.unknown, *([hidden] if self.hidden and self.kind == "hash" else []))

    def selection(self, weights: tuple[int, ...], bucketed: int = 0) -> Selection:
        """How one of so many members is picked by a value; ``bucketed``: by a table of a size that the group itself has."""
        size, slots = len(weights), bucketed or self.buckets
        if self.algorithm == LINUX:
            return buckets(filled_buckets(slots, size, weights), size) if slots else threshold(size, weights)
        if slots:  # SONiC's fgnhgorch deals them out in turn
            return buckets([slot % size for slot in range(slots)], size, value_bits=16)
        return modulo(size, weights)

    @property
    def linear(self) -> bool:
        """Is the function known to be linear over GF(2)?"""
        function = self.function()
        return function is not None and function.linear

    @property
    def words(self) -> str:
        """The setting as one phrase.

        >>> Setting(algorithm="crc16", fields=("src-ip", "dst-ip"), seed=10, offset=3).words
        'crc16 of src-ip, dst-ip; seed 10, offset 3'
        """
        if self.kind != "hash":
            return WORDS[self.kind]
        if not self.algorithm:
            return "not known"
        of = f"{self.algorithm} of {', '.join((*self.fields, *self.hidden)) or 'nothing'}"
        more = [f"policy {self.policy}"] if self.algorithm == LINUX else []
        more.append("seed not known" if self.seed is None else f"seed {self.seed}")
        more += [f"offset {self.offset}"] if self.offset else []
        more += [name for name, on in (("symmetric", self.symmetric), ("preprocessed", self.preprocess)) if on]
        more += [f"{self.buckets} buckets"] if self.buckets else []
        return f"{of}; {', '.join(more)}"


def our_name(algorithm: str) -> str:
    """The name of ours for one of SAI's, or ``linux``; the name itself where it is ours, empty where there is none.

    >>> our_name("CRC_CCITT"), our_name("crc16"), our_name("md5")
    ('ccitt', 'crc16', '')
    """
    if algorithm in (*ALGORITHMS, LINUX):
        return algorithm
    known = sai_algorithm(algorithm)
    return "" if known is None else known.stands_for
