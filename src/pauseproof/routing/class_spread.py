"""Where labels may come, over every link and as if every switch could send to every port.

What routing does is not asked, but for one thing: packets in tunnels are not handed to hosts. So what is not found here does
not happen, and what is found may not.

Notation: ``s`` a switch, ``n`` the number of a side, ``o`` an out-port.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from pauseproof.routing.class_hops import Label, Landing
from pauseproof.routing.class_rows import Way, missed
from pauseproof.routing.class_turns import NOT_KNOWN, Turns


class _State(NamedTuple):
    """A label that may be at a switch, by the number of the side where it came in."""

    side: int
    label: Label
    lossless: bool


class Arrival(NamedTuple):
    """A label that may arrive at switch ``s`` over a link."""

    link: int
    label: Label


class Miss(NamedTuple):
    """Packets of a label wait in a queue of out-port ``o`` that the pause of their next group does not stop."""

    s: int
    o: int
    queue: int
    label: Label
    group: int


class _Leaving(NamedTuple):
    """One way to an out-port; ``key`` tells equal ones apart from others, ``packs`` those into a tunnel."""

    key: Hashable
    side: int
    packs: bool
    way: Way


class Spread:
    """``fallen`` are lossy arrivals of packets that were lossless before; ``missed`` as Miss says."""

    def __init__(self, turns: Turns, sent: Mapping[str, Iterable[int]]) -> None:
        """From the DSCPs that hosts send, by direction."""
        self.turns, self.fabric = turns, turns.fabric
        self.reached: list[set[_State]] = [set() for _ in turns.ports]
        self.todo: set[int] = set()
        self.fallen: set[Arrival] = set()
        self.missed: set[Miss] = set()
        self._landings: dict[tuple[Hashable, int, Label], tuple[Landing, bool]] = {}
        self._start([Label(dscp) for dscps in sent.values() for dscp in dscps], {Label(dscp) for dscp in sent.get("data", ())})
        self._follow()

    def _start(self, labels: Iterable[Label], data: set[Label]) -> None:
        """What hosts send. That data is lossy from its first hop on is worth saying, of other traffic it is not."""
        for link in self.fabric.host_up.tolist():
            n = self.turns.receiver(link)
            for label in labels if n != NOT_KNOWN else ():
                lossless = self.turns.sides[n].profile.lossless(self.turns.sides[n].group(label))
                self._reach(link, label, lossless)
                if not lossless and label in data:
                    self.fallen.add(Arrival(link, label))

    def _reach(self, link: int, label: Label, lossless: bool) -> None:
        s, n = int(self.fabric.link_dst[link]), self.turns.receiver(link)
        if s < self.fabric.n_switches and (state := _State(n, label, lossless)) not in self.reached[s]:
            self.reached[s].add(state)
            self.todo.add(s)

    def _follow(self) -> None:
        """Until nothing new is reached."""
        while self.todo:
            s = self.todo.pop()
            for o in self.turns.known_outs(s):
                link = int(self.fabric.out_link[s, o])
                to_host = int(self.fabric.link_dst[link]) >= self.fabric.n_switches
                for landing, misses, lossless in self._leaving(s, o):
                    if landing.label.inner < 0 or not to_host:
                        self._arrive(link, landing, lossless)
                        self.missed |= {Miss(s, o, landing.queue, landing.label, landing.group)} if misses else set()

    def _arrive(self, link: int, landing: Landing, lossless: bool) -> None:
        self._reach(link, landing.label, landing.group >= 0)
        if landing.group < 0 and lossless:
            self.fallen.add(Arrival(link, landing.label))

    def _leaving(self, s: int, o: int) -> Iterator[tuple[Landing, bool, bool]]:
        """Where packets land that leave by ``o``, whether the pause there misses them, and whether they are lossless before."""
        number = int(self.turns.ports[s].out[o])
        for leaving in self._ways(s, o):
            for state in self.reached[s]:
                if state.side == leaving.side and (state.label.inner < 0 or not leaving.packs):
                    key = leaving.key, number, state.label
                    if key not in self._landings:
                        out = self.turns.outs[number]
                        landing = leaving.way.land(out, state.label)
                        self._landings[key] = landing, missed(landing, out)
                    yield *self._landings[key], state.lossless

    def _ways(self, s: int, o: int) -> Iterator[_Leaving]:
        yield from (_Leaving(one, one[0], False, self.turns.way(one)) for one in self.turns.ways(s, o))
        for i, (n, way) in enumerate(self.turns.packing_ways(s)):
            yield _Leaving((s, "packs", i), n, True, way)
