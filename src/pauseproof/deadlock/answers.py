"""What every engine answers about one traffic class, whatever it walked over."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from pauseproof.deadlock.witness import Hop, Packet
from pauseproof.dependency.outcomes import Outcomes

Buffer = tuple[int, int]  # (link, lane index)


class Waiting(NamedTuple):
    """A buffer of a stuck set, and the choice set inside it of some packet there."""

    buffer: Buffer
    choice: tuple[Buffer, ...]

    @property
    def hop(self) -> Hop:
        """The same as the hop that a packet is asked for."""
        return Hop(*self.buffer, *self.choice[0], self.choice[1:])


class Loop(NamedTuple):
    """A loop from its least buffer on, and how many buffers its component has."""

    buffers: tuple[Buffer, ...]
    component: int

    @property
    def waits(self) -> tuple[Waiting, ...]:
        """Each buffer with the next one of the loop, the last with the first."""
        return tuple(Waiting(b, (after,)) for b, after in zip(self.buffers, (*self.buffers[1:], self.buffers[0]), strict=True))


class Analysis(Protocol):
    """What every engine answers about one traffic class. Buffers are (link, lane)."""

    @property
    def n_buffers(self) -> int:
        """Reachable buffers."""

    @property
    def n_dependencies(self) -> int:
        """Dependencies between them."""

    @property
    def stuck(self) -> bool:
        """Whether a stuck set exists."""

    @property
    def adaptive(self) -> bool:
        """Whether some choice set has two and more members, so that a cycle alone proves nothing."""

    @property
    def meets_unknown(self) -> bool:
        """Whether some packet meets a row, map or label that was not read."""

    @property
    def unknown_destinations(self) -> list[int]:
        """Columns some packet of which meets something that was not read."""

    @property
    def component_sizes(self) -> tuple[int, ...]:
        """Buffers in each cyclic component, largest first."""

    @property
    def loops(self) -> tuple[Loop, ...]:
        """One shortest loop of each component of committed dependencies, largest component first."""

    @property
    def stuck_set(self) -> tuple[Waiting, ...]:
        """A stuck set closed under its own choice, by buffer ascending; empty where there is none."""

    def ranks(self) -> list[tuple[Buffer, int]]:
        """The rank of every reachable buffer outside the greatest stuck set."""

    @property
    def outcomes(self) -> Outcomes:
        """What becomes of the pairs."""

    def packets(self, hops: Sequence[Hop]) -> list[Packet | None]:
        """A packet that carries each hop."""
