"""The machine: packets, buffers, queues and pauses on a clock of whole picoseconds.

A packet is buffered whole. From its arrival until it is wholly sent on it counts in the ingress buffer that it came into, and
stands in the queue of an out-link; one whose choice stays open stands in a queue of each member, and leaves by the first that
serves it. A buffer with ``xoff`` packets asks its sender to pause that lane, one with ``xon`` to go on; either reaches the
sender after the pause delay of the link. With credits the sender counts, and a credit comes back after the delay of the cable.
A buffer in the lossy lane asks for nothing and drops what comes beyond XOFF.

Everything that happens is an event; equal times are served in the order in which they were planned, so a run is a function
of its plan and settings. Notation: ``b`` a buffer, ``l`` a link, ``h`` a host (numbers of the plan, hosts of the fabric).
"""

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from random import Random

from pauseproof.replay.flows import Option, Plan
from pauseproof.replay.giving_up import GivingUp
from pauseproof.replay.queues import Entry, Offer, Packet, Queue
from pauseproof.replay.settings import Settings
from pauseproof.replay.sources import Sources

Action = Callable[..., None]


class Machine:
    """One run. ``held[b]`` packets count in ``b``; ``shut[b]``: its sender may not send; ``asked[b]``: it asked for a pause,
    ``told[b]`` messages of it are on their way; ``used[b]`` credits are out. ``lost`` counts drops by their reason.
    """

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self.plan, self.settings = plan, settings
        n, m = len(plan.buffers), len(plan.links)
        self.now, self.number = 0, 0
        self.events: list[tuple[int, int, Action, tuple[object, ...]]] = []
        self.held, self.used, self.told = [0] * n, [0] * n, [0] * n
        self.shut, self.asked = [False] * n, [False] * n
        self.shut_at = [0] * n
        self.busy = [False] * m
        self.queues: list[list[Queue]] = [[] for _ in range(m)]
        self.queue_at: dict[tuple[object, ...], Queue] = {}
        self.turn = [0] * m
        self.away: dict[int, list[int]] = {}  # hosts that do not consume, and what they have not consumed
        self.random = Random(settings.seed)
        self.sent = self.delivered = self.left = 0
        self.lost = {"ttl": 0, "lossy": 0, "watchdog": 0, "hoq": 0}
        self.on_shut: Callable[[int, bool], None] = lambda b, shut: None
        self.one_each = settings.arbitration == "fifo"
        self.credits = settings.credits if settings.control == "credits" else 0
        self.giving_up = GivingUp(self)
        self.sources = Sources(plan, self.random, self.at, self.serve)
        for f, option in enumerate(plan.entry):
            self.queues[plan.link_of[option.buffer]].append(Queue(option.gates, f))

    # The clock

    def at(self, time: int, action: Action, *arguments: object) -> None:
        """Plan a call of ``action`` with that time, and the arguments."""
        self.number += 1
        heappush(self.events, (time, self.number, action, arguments))

    def run(self, until: int) -> None:
        """Let everything happen up to a time."""
        events = self.events
        while events and events[0][0] <= until:
            self.now, _, action, arguments = heappop(events)
            action(self.now, *arguments)
        self.now = max(self.now, until)

    @property
    def over(self) -> bool:
        """Whether nothing will ever happen again."""
        return not self.events

    # Sending

    def serve(self, l: int) -> None:
        """Begin to send what is next on link ``l``, where it is idle and something may go."""
        if self.busy[l]:
            return
        queue = self._next(l)
        if queue is None:
            return
        if queue.flow >= 0:
            packet, option = self._made(queue.flow)
        else:
            entry = queue.entries.popleft()
            entry.offer.taken = True
            packet, option = entry.packet, entry.option
            self.giving_up.heads(queue)
        self.busy[l] = True
        if self.credits and not self.plan.lossy[option.buffer]:
            self._spend(option.buffer)
        self.at(self.now + self.plan.sending[l], self._sent, l, packet, option)

    def _made(self, f: int) -> tuple[Packet, Option]:
        self.sources.take(f)
        self.sent += 1
        packet = Packet(-1, -1, self.settings.ttl or 0)
        packet.copies = 1
        return packet, self.plan.entry[f]

    def _next(self, l: int) -> Queue | None:
        queues = self.queues[l]
        n = len(queues)
        if self.settings.arbitration == "random":
            ready = [queue for queue in queues if self._may_go(queue)]
            return ready[int(self.random.random() * len(ready))] if ready else None
        first = self.turn[l]
        for i in range(first, first + n):
            if self._may_go(queues[i % n]):
                self.turn[l] = (i + 1) % n
                return queues[i % n]
        return None

    def _may_go(self, queue: Queue) -> bool:
        for b in queue.gates:
            if self.shut[b]:
                return False
        if queue.flow >= 0:
            return self.sources.ready(queue.flow)
        entries = queue.entries
        if entries and entries[0].offer.taken:
            while entries and entries[0].offer.taken:
                entries.popleft()
            self.giving_up.heads(queue)
        return bool(entries)

    def _sent(self, now: int, l: int, packet: Packet, option: Option) -> None:
        """The last bit is on the cable: the buffer that it came from is free of it, once all copies are."""
        self.busy[l] = False
        packet.copies -= 1
        if packet.at >= 0 and not packet.copies:
            self.release(packet.at)
        arrived = Packet(option.state, option.buffer, packet.ttl)
        self.at(self.now + self.plan.travelling[l], self._arrives, arrived)
        self.serve(l)

    # Arriving

    def _arrives(self, now: int, packet: Packet) -> None:
        b = packet.at
        host = self.plan.host_of[self.plan.link_of[b]]
        self.held[b] += 1
        if self.plan.lossy[b] and self.held[b] > self.settings.xoff:
            self._dropped(b, "lossy")
        elif host >= 0 and not self.plan.options[packet.state]:
            self._received(host, b)
        elif self.settings.ttl is not None and packet.ttl <= 0:
            self._dropped(b, "ttl")
        else:
            packet.ttl -= 1
            self._enqueue(packet)
        if not (self.credits or self.asked[b] or self.plan.lossy[b]) and self.held[b] >= self.settings.xoff:
            self._ask(b, True)

    def _dropped(self, b: int, why: str) -> None:
        self.lost[why] += 1
        self.release(b)

    def lose(self, packet: Packet, why: str) -> None:
        """A copy of a packet that waits is dropped."""
        self.lost[why] += 1
        packet.copies -= 1
        if not packet.copies:
            self.release(packet.at)

    def _received(self, host: int, b: int) -> None:
        if host in self.away:
            self.away[host].append(b)
        else:
            self.delivered += 1
            self.release(b)

    def _enqueue(self, packet: Packet) -> None:
        """Into a queue for each option of each choice set; where there is none it has left the lossless fabric."""
        sets = self.plan.options[packet.state]
        if not sets:
            self.left += 1
            self.release(packet.at)
            return
        packet.copies = len(sets)
        for some in sets:
            self._offer(packet, some)

    def _offer(self, packet: Packet, some: tuple[Option, ...]) -> None:
        offer = Offer()
        some = self.giving_up.calm(packet, some)
        offer.standing = len(some)
        for option in some:
            queue = self._queue(packet, option)
            queue.entries.append(Entry(packet, option, offer))
            if len(queue.entries) == 1:
                self.giving_up.heads(queue)
        for option in some:
            self.serve(self.plan.link_of[option.buffer])

    def _queue(self, packet: Packet, option: Option) -> Queue:
        l = self.plan.link_of[option.buffer]
        came_by = -1 if self.one_each else self.plan.link_of[packet.at]
        key = l, came_by, option.gates
        queue = self.queue_at.get(key)
        if queue is None:
            queue = self.queue_at[key] = Queue(option.gates)
            self.queues[l].append(queue)
        return queue

    # Pauses and credits

    def release(self, b: int) -> None:
        """A packet no longer counts in ``b``."""
        self.held[b] -= 1
        if self.plan.lossy[b]:
            return
        if self.credits:
            self.told[b] += 1
            self.at(self.now + self.plan.travelling[self.plan.link_of[b]], self._credit, b)
        elif self.asked[b] and self.held[b] <= self.settings.xon:
            self._ask(b, False)

    def _ask(self, b: int, pause: bool) -> None:
        self.asked[b] = pause
        self.told[b] += 1
        self.at(self.now + self.plan.pausing[self.plan.link_of[b]], self._told, b, pause)

    def _told(self, now: int, b: int, pause: bool) -> None:
        self.told[b] -= 1
        self._shut(b, pause)

    def _spend(self, b: int) -> None:
        self.used[b] += 1
        if self.used[b] >= self.credits:
            self._shut(b, True)

    def _credit(self, now: int, b: int) -> None:
        self.told[b] -= 1
        self.used[b] -= 1
        self._shut(b, False)

    def _shut(self, b: int, shut: bool) -> None:
        if self.shut[b] == shut:
            return
        self.shut[b] = shut
        self.on_shut(b, shut)
        self.giving_up.shut(b, shut)
        if shut:
            self.shut_at[b] = self.now
        else:
            self.serve(self.plan.link_of[b])

    # Hosts that do not consume for a while

    def goes_away(self, now: int, host: int) -> None:
        """From now on ``host`` consumes nothing."""
        self.away.setdefault(host, [])

    def comes_back(self, now: int, host: int) -> None:
        """It consumes what it has, and from now on all that comes."""
        for b in self.away.pop(host, []):
            self.delivered += 1
            self.release(b)

    def entries(self) -> Iterator[Entry]:
        """Every packet that stands in a queue, once for each option that it has."""
        for queues in self.queues:
            for queue in queues:
                yield from (entry for entry in queue.entries if not entry.offer.taken)
