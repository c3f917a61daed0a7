"""What throws packets away that wait too long, where it is asked for: the watchdog of a paused queue, the lifetime of its head.

Notation: ``b`` a buffer (number of the plan).
"""

from typing import TYPE_CHECKING

from pauseproof.replay.flows import Option
from pauseproof.replay.queues import Entry, Packet, Queue

if TYPE_CHECKING:
    from pauseproof.replay.machine import Machine


class GivingUp:
    """``storm`` holds the buffers whose queues are dropped: from when the watchdog barks to the end of the pause."""

    def __init__(self, machine: "Machine") -> None:
        self.machine = machine
        self.watchdog, self.hoq = machine.settings.watchdog, machine.settings.hoq
        self.storm: set[int] = set()

    def shut(self, b: int, shut: bool) -> None:
        """The sender of ``b`` is paused, or no longer."""
        if not shut:
            self.storm.discard(b)
        elif self.watchdog is not None:
            self.machine.at(self.machine.now + self.watchdog, self._watch, b)

    def _watch(self, now: int, b: int) -> None:
        """A queue that has been paused since without a break loses its packets."""
        machine = self.machine
        if not machine.shut[b] or machine.shut_at[b] + (self.watchdog or 0) != now:
            return
        self.storm.add(b)
        for queue in machine.queues[machine.plan.link_of[b]]:
            if b in queue.gates and queue.flow < 0:
                entries = list(queue.entries)
                queue.entries.clear()
                for entry in entries:
                    self._give_up(entry, "watchdog")

    def calm(self, packet: Packet, some: tuple[Option, ...]) -> tuple[Option, ...]:
        """The options of a packet that comes which are not dropped; where there are none the packet is."""
        if not self.storm:
            return some
        calm = tuple(option for option in some if self.storm.isdisjoint(option.gates))
        if not calm:
            self.machine.lose(packet, "watchdog")
        return calm

    def heads(self, queue: Queue) -> None:
        """A packet has come to the head of a queue: its lifetime there begins."""
        if self.hoq is not None and queue.entries:
            self.machine.at(self.machine.now + self.hoq, self._expires, queue, queue.entries[0])

    def _expires(self, now: int, queue: Queue, head: Entry) -> None:
        if queue.entries and queue.entries[0] is head and not head.offer.taken:
            queue.entries.popleft()
            self._give_up(head, "hoq")
            self.heads(queue)

    def _give_up(self, entry: Entry, why: str) -> None:
        """An entry has been taken out of its queue; the packet is lost where it stands in no other."""
        entry.offer.standing -= 1
        if not entry.offer.taken and not entry.offer.standing:
            entry.offer.taken = True
            self.machine.lose(entry.packet, why)
