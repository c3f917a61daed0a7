"""Why a link is hot in one drawn sample: the whole flows that came together on it, and the decisions that each met.

In the mean of all samples every flow is on many links a little; which ones collide is only to be seen in a sample.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pauseproof.loads.flows import Flows
from pauseproof.loads.hashed import Hashing
from pauseproof.loads.walks import Walked
from pauseproof.loads.why import Carried, Why, decisions_on, heaviest, siblings

F64 = NDArray[np.float64]
Pair = tuple[int, int]


def why_drawn(
    hashing: Hashing, load: F64, places: Sequence[tuple[int, int]], drawn: Iterable[tuple[Flows, Walked]]
) -> list[Why]:
    """What is on each (phase, link) of ``places``; ``load`` [P, L] is that of the sample, ``drawn`` its flows in blocks."""
    found = [_OnLink(phase, link) for phase, link in places]
    for flows, walked in drawn:
        for one in found:
            one.add(flows, walked)
    return [one.why(hashing, load[one.phase]) for one in found]


class _OnLink:
    """The pairs of hosts on one link, with the links of the first flow of each."""

    def __init__(self, phase: int, link: int) -> None:
        self.phase, self.link = phase, link
        self.pairs: dict[Pair, float] = {}
        self.example: dict[Pair, list[int]] = {}

    def add(self, flows: Flows, walked: Walked) -> None:
        """A block."""
        on = np.flatnonzero((walked.link == self.link) & (flows.phase[walked.flow] == self.phase))
        for f, part in zip(walked.flow[on].tolist(), walked.part[on].tolist(), strict=True):
            pair = int(flows.src[f]), int(flows.dst[f])
            self.pairs[pair] = self.pairs.get(pair, 0.0) + part * float(flows.bytes[f])
            if pair not in self.example:
                self.example[pair] = walked.link[walked.flow == f].tolist()

    def why(self, hashing: Hashing, load: F64) -> Why:
        """The answer; ``load`` [L] is that of the phase."""
        told = tuple(
            Carried(*pair, bytes, decisions_on(hashing, self.example[pair], self.link, pair[1]))
            for pair, bytes in heaviest(self.pairs)
        )
        senders, receivers = ({pair[end] for pair in self.pairs} for end in (0, 1))
        beside = siblings(hashing.network.fabric, load, self.link)
        return Why(self.link, float(load[self.link]), len(senders), len(receivers), told, beside, True)
