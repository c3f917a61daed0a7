"""Where the entropy of RoCE traffic comes from: the UDP source port, the queue pairs of NCCL, the LIDs of an LMC.

RoCEv2's source port is 0xC000 and 14 bits of the flow label, folded; where the flow label is 0 it is made from the two queue
pair numbers, symmetric in them (rdma-core and the Linux kernel do alike: ``rdma_flow_label_to_udp_sport``,
``rdma_calc_flow_label``). NCCL leaves the flow label 0, so its flows' ports follow from their queue pairs.

Notation: ``fl`` a flow label of 20 bits, ``l`` and ``r`` queue pair numbers of 24.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pauseproof.hashing.algebra import Word, equals, shr, where

FIRST_PORT = 0xC000
FREE_PORT_BITS = 14
IBGDA_PORT = 49152  # what nvshmem's IBGDA gives all its queue pairs: no entropy at all


def sport_of_flow_label(fl: Word) -> Word:
    """The UDP source port; linear over GF(2) but for the constant."""
    return ((fl & 0x3FFF) ^ shr(fl & 0xFFFFF, 14)) | FIRST_PORT


def flow_label_of_qps(l: Word, r: Word) -> Word:
    """The flow label that stands in for 0: the product of the two numbers, folded. Not linear."""
    v = l * r
    v = v ^ shr(v, 20)
    v = v ^ shr(v, 40)
    return v & 0xFFFFF


def sport_of_qps(l: Word, r: Word) -> Word:
    """The UDP source port of a connection that sets no flow label."""
    return sport_of_flow_label(flow_label_of_qps(l, r))


def sport(fl: Word, l: Word, r: Word) -> Word:
    """The same, with the flow label where it is not 0."""
    return sport_of_flow_label(where(equals(fl, 0), flow_label_of_qps(l, r), fl))


@dataclass(frozen=True)
class NcclQps:
    """NCCL's queue pairs on one connection: ``per_connection`` (NCCL_IB_QPS_PER_CONNECTION) on each of ``devices`` NICs.

    ``devices`` is the larger count of the two ends. ``split`` (NCCL_IB_SPLIT_DATA_ON_QPS, since 2.20 off): a message goes over
    all queue pairs in equal parts, else over ``devices`` of them, in turn.
    """

    per_connection: int = 1
    devices: int = 1
    split: bool = False

    @property
    def count(self) -> int:
        """How many queue pairs there are."""
        return self.per_connection * self.devices

    def of_message(self, number: int) -> tuple[int, ...]:
        """The queue pairs over which message ``number`` goes, in equal parts.

        >>> NcclQps(4).of_message(6), NcclQps(2, split=True).of_message(6)
        ((2,), (0, 1))
        """
        if self.split:
            return tuple(range(self.count))
        return tuple((number * self.devices + i) % self.count for i in range(self.devices))

    def shares(self) -> list[float]:
        """The part of a long stream of equal messages that each queue pair carries."""
        return [1 / self.count] * self.count


def lmc_lid(base: int, lmc: int, path: int) -> int:
    """The destination LID of path ``path`` to a port with 2^``lmc`` LIDs: they are taken in turn.

    Applications that know no paths (NCCL) take path 0, the base LID.

    >>> lmc_lid(8, 2, 5)
    9
    """
    return base + path % (1 << lmc)


def lmc_paths(base: int, lmc: int, paths: int) -> Sequence[int]:
    """The LIDs of that many paths, such as the rails of an MPI with multi-path on."""
    return [lmc_lid(base, lmc, path) for path in range(paths)]
