"""Where the entropy of RoCE traffic comes from: the UDP source port.

RoCEv2's source port is 0xC000 and 14 bits of the flow label, folded; where the flow label is 0 it is made from the two queue
pair numbers, symmetric in them (rdma-core and the Linux kernel do alike: ``rdma_flow_label_to_udp_sport``,
``rdma_calc_flow_label``). NCCL leaves the flow label 0, so its flows' ports follow from their queue pairs.

Notation: ``fl`` a flow label of 20 bits, ``l`` and ``r`` queue pair numbers of 24.
"""

from pauseproof.hashing.algebra import Word, equals, shr, where

FIRST_PORT = 0xC000
FREE_PORT_BITS = 14


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
