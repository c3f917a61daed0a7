"""One way to make a fabric safe: what it changes, what that costs, and the network as it would be.

A *kind* is a family of changes with a cost of its own, in a module of its own (:mod:`pauseproof.repair.kinds`). An alternative
is a proposal; only :func:`pauseproof.repair.apply.applied` decides whether it may be offered.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from pauseproof.deadlock.answers import Analysis
from pauseproof.fabric.places import Place
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

SHALLOW = 2  # lossless classes that switches with shallow buffers have room for (Guo et al., SIGCOMM 2016)


@dataclass(frozen=True)
class Change:
    """One thing to change: a sentence for people, plain data for programs, and where the input says otherwise today."""

    sentence: str
    machine: Mapping[str, object]
    place: Place | None = None


@dataclass(frozen=True)
class Alternative:
    """A set of changes. ``cost`` counts ``unit`` (such as "routes moved"), and no set of changes of this kind that makes the
    fabric safe costs less than ``bound``. ``network`` and ``traffic`` are as they would be, with the question's choices made
    (as in :class:`Asked`); ``assumptions`` is what the alternative rests on beside those of
    ``network``. ``files`` are those that an operator loads, where they were made on the way.
    """

    kind: str
    cost: int
    unit: str
    bound: int
    changes: tuple[Change, ...]
    network: Network
    traffic: Traffic
    assumptions: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def optimal(self) -> bool:
        """Whether nothing of this kind is cheaper."""
        return self.bound >= self.cost

    @property
    def gap(self) -> int:
        """How much cheaper another might be."""
        return max(self.cost - self.bound, 0)


@dataclass(frozen=True)
class NotOffered:
    """Why a kind has no alternative, or why one that it has must not be offered."""

    kind: str
    reason: str


def unwatched(what: str) -> None:
    """Nobody looks on."""


@dataclass(frozen=True)
class Budget:
    """Seconds that may be spent from the moment of its making, and the lossless classes that switches have room for.

    ``watch`` is called with ``what`` whenever somebody asks for what is left.

    >>> Budget(60, clock=lambda: 100.0, start=70.0).left
    30.0
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    start: float = field(default_factory=time.monotonic)
    lossless_classes: int = SHALLOW
    what: str = ""
    watch: Callable[[str], None] = unwatched

    @property
    def left(self) -> float:
        """Seconds left, never negative."""
        self.watch(self.what)
        return max(0.0, self.start + self.seconds - self.clock())

    def share(self, parts: int, *, less: float = 0.0, what: str = "") -> "Budget":
        """A budget of its own for one of so many parts, each of which needs ``less`` of its seconds for something else."""
        seconds = max(0.0, self.left / parts - less)
        return replace(self, seconds=seconds, start=self.clock(), what=what or self.what)


class Kind(Protocol):
    """What the module of a kind has."""

    def alternatives(self, asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
        """The alternatives of this kind for a fabric with a stuck set, cheapest first; or why there are none."""

    def loadable(self, asked: Asked, alternative: Alternative) -> Mapping[str, str]:
        """The files that an operator loads, by name; ``asked`` is as it was before the change."""
