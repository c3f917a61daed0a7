"""What stands where: packets, the offers that they have, and the queues of an out-link."""

from collections import deque

from pauseproof.replay.flows import Option


class Packet:
    """``state`` and the buffer ``at`` that it counts in (-1 while its sender has it); ``copies`` are still to be sent."""

    __slots__ = ("at", "copies", "state", "ttl")

    def __init__(self, state: int, at: int, ttl: int) -> None:
        self.state, self.at, self.ttl, self.copies = state, at, ttl, 0


class Offer:
    """One choice set of a packet: whether it was ``taken``, and in how many queues it is ``standing``."""

    __slots__ = ("standing", "taken")

    def __init__(self) -> None:
        self.taken, self.standing = False, 0


class Entry:
    """A packet in the queue of one option of an offer."""

    __slots__ = ("offer", "option", "packet")

    def __init__(self, packet: Packet, option: Option, offer: Offer) -> None:
        self.packet, self.option, self.offer = packet, option, offer


class Queue:
    """What waits for the same out-link and lane, and takes turns as one; ``flow`` is the source that it belongs to, or -1."""

    __slots__ = ("entries", "flow", "gates")

    def __init__(self, gates: tuple[int, ...], flow: int = -1) -> None:
        self.gates, self.flow = gates, flow
        self.entries: deque[Entry] = deque()
