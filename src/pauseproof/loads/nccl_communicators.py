"""The logs of all processes joined: communicators with their ranks, the connections between nodes, rings, trees, and sizes.

A message belongs to the communicator that its thread is setting up; else to the one in which its process has the rank that the
message speaks of. The two ends of a connection are told by two processes: the sender's line has the sender's NIC, the
receiver's line that of the receiver.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from pauseproof.fabric.places import Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.nccl_lines import Branch, Devices, Hop, Init, Message, Neighbours, QueuePair, Ring, Sized
from pauseproof.readers.nccl_log import Process, Said

NOWHERE = Place("")
Connection = tuple[int, int, int, int]  # channel, NCCL's number of the connection, sender, receiver


@dataclass(frozen=True)
class End:
    """One end of a connection: the process that drives it, its NIC, and the line."""

    process: Process
    nic: int
    place: Place


@dataclass
class LoggedCommunicator:
    """What the logs tell of one communicator. ``size`` is 0 where no line says how many ranks there are."""

    key: str
    size: int = 0
    processes: dict[int, Process] = field(default_factory=dict)
    senders: dict[Connection, End] = field(default_factory=dict)
    receivers: dict[Connection, End] = field(default_factory=dict)
    rings: dict[int, tuple[int, ...]] = field(default_factory=dict)
    after: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    up: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    sized: dict[Sized, int] = field(default_factory=dict)  # how often each ran
    place: Place = NOWHERE


@dataclass
class Logs:
    """Everything that the logs tell. ``pairs`` are the QPs of each process in the order of its log.

    ``unowned`` counts the sizes of which no line tells the communicator.
    """

    communicators: dict[str, LoggedCommunicator] = field(default_factory=dict)
    devices: dict[Process, tuple[Devices, Place]] = field(default_factory=dict)
    pairs: dict[Process, list[QueuePair]] = field(default_factory=lambda: defaultdict(list))
    unowned: int = 0
    problems: list[Problem] = field(default_factory=list)

    def nics_of(self, process: Process) -> tuple[Devices, Place]:
        """The NICs that a process lists; where it lists none, those of its host if all processes there list the same."""
        if process in self.devices:
            return self.devices[process]
        beside = [found for other, found in self.devices.items() if other.host == process.host]
        return beside[0] if len({devices for devices, _ in beside}) == 1 else (Devices(()), NOWHERE)


def join(logs: Iterable[tuple[Said, ...]]) -> Logs:
    """Join the messages of all logs. Raises BadInput where they contradict each other."""
    said = [one for log in logs for one in log]
    joiner = _Joiner()
    for one in said:
        if isinstance(one.message, Init):
            joiner.begin(one, one.message)
    for one in said:
        joiner.take(one)
    refuse_if(joiner.logs.problems)
    return joiner.logs


class _Joiner:
    """Walks the messages twice: first for the communicators of each process, then for all else."""

    def __init__(self) -> None:
        self.logs = Logs()
        self.current: dict[tuple[Process, int], str] = {}
        self.ranks: dict[Process, dict[str, set[int]]] = defaultdict(dict)  # of each communicator of a process
        self.pointers: dict[tuple[Process, str], str] = {}
        self.keys: dict[Place, str] = {}

    def begin(self, one: Said, init: Init) -> None:
        """A communicator that a process has a rank in."""
        key = init.key or f"{init.ranks} ranks"
        if init.parent:
            key = f"{self.pointers.get((one.process, init.parent), init.parent)} {key}"
        self.pointers[one.process, init.pointer] = key
        self.keys[one.place] = key
        self.ranks[one.process].setdefault(key, set()).add(init.rank)
        group = self._communicator(key, one.place)
        first = group.processes.setdefault(init.rank, one.process)
        if first != one.process:
            self._wrong(
                one.place, f"rank {init.rank} of communicator {key!r} is {_name(one.process)} here and {_name(first)} elsewhere"
            )
        if group.size not in (0, init.ranks):
            self._wrong(one.place, f"communicator {key!r} has {init.ranks} ranks here and {group.size} elsewhere")
        group.size = init.ranks

    def take(self, one: Said) -> None:
        """One message of any kind, in the order of its log."""
        message = one.message
        if isinstance(message, Init):
            self._setting_up(one, message)
        elif isinstance(message, Devices):
            self._devices(one, message)
        elif isinstance(message, QueuePair):
            self.logs.pairs[one.process].append(message)
        elif (group := self._owner(one, message)) is not None:
            self._add(group, one, message)

    def _setting_up(self, one: Said, init: Init) -> None:
        thread = (one.process, one.thread)
        if init.done:
            self.current.pop(thread, None)
        else:
            self.current[thread] = self.keys[one.place]

    def _devices(self, one: Said, devices: Devices) -> None:
        first, place = self.logs.devices.setdefault(one.process, (devices, one.place))
        if first != devices:
            self._wrong(one.place, f"the NICs are others than in {place}; expected one list for each process")

    def _owner(self, one: Said, message: Message) -> LoggedCommunicator | None:
        """The communicator that a message is about; None, and a problem, where it may be several."""
        if (key := self.current.get((one.process, one.thread))) is not None:
            return self.logs.communicators[key]
        own = _own_rank(message)
        known = self.ranks.get(one.process, {})
        keys = [key for key, ranks in known.items() if own in ranks and self._can_be(self.logs.communicators[key], message)]
        if len(keys) == 1:
            return self.logs.communicators[keys[0]]
        if not self.ranks:  # no line says which communicators there are: one
            group = self._communicator("", one.place)
            if isinstance(message, Hop):
                group.processes.setdefault(own, one.process)
            return group
        if keys and isinstance(message, Sized):
            self.logs.unowned += 1
        elif keys:
            several = f"belongs to one of {len(keys)} communicators, and nothing tells which"
            self._wrong(one.place, f"{several}; log one job at a time")
        else:
            self._wrong(one.place, f"speaks of rank {own}, which {_name(one.process)} has in no communicator")
        return None

    @staticmethod
    def _can_be(group: LoggedCommunicator, message: Message) -> bool:
        """The communicator has all ranks that are spoken of; those of a connection over the network are on two hosts."""
        if _peers(message) >= group.size:
            return False
        ends = (message.src, message.dst) if isinstance(message, Hop) else ()
        hosts = [group.processes[rank].host for rank in ends if rank in group.processes]
        return len(hosts) < 2 or hosts[0] != hosts[1]

    def _communicator(self, key: str, place: Place) -> LoggedCommunicator:
        return self.logs.communicators.setdefault(key, LoggedCommunicator(key, place=place))

    def _add(self, group: LoggedCommunicator, one: Said, message: Message) -> None:
        if isinstance(message, Hop):
            self._hop(group, one, message)
        elif isinstance(message, Ring):
            group.rings[message.channel] = message.ranks
        elif isinstance(message, Neighbours):
            group.after[message.channel].update({message.before: message.rank, message.rank: message.after})
        elif isinstance(message, Branch):
            group.up[message.channel][message.rank] = message.up
            group.up[message.channel].update(dict.fromkeys(message.down, message.rank))
        elif isinstance(message, Sized):
            group.sized[message] = group.sized.get(message, 0) + 1

    def _hop(self, group: LoggedCommunicator, one: Said, hop: Hop) -> None:
        driver = group.processes.get(hop.proxy, one.process) if hop.sends else one.process
        ends = group.senders if hop.sends else group.receivers
        key = (hop.channel, hop.connection, hop.src, hop.dst)
        first = ends.setdefault(key, End(driver, hop.nic, one.place))
        if (first.process, first.nic) != (driver, hop.nic):
            ways = f"NIC {hop.nic} of {driver.host} here and NIC {first.nic} of {first.process.host} in {first.place}"
            self._wrong(one.place, f"rank {hop.src} to {hop.dst} on channel {hop.channel} uses {ways}; expected one job")

    def _wrong(self, place: Place, message: str) -> None:
        self.logs.problems.append(Problem(place, message))


def _own_rank(message: Message) -> int:
    """The rank of the process that writes such a message; rings and sizes are written by rank 0."""
    if isinstance(message, Hop):
        return message.src if message.sends else message.dst
    return message.rank if isinstance(message, Neighbours | Branch) else 0


def _peers(message: Message) -> int:
    """The largest rank that it speaks of."""
    if isinstance(message, Hop):
        return max(message.src, message.dst)
    if isinstance(message, Ring):
        return max(message.ranks, default=0)
    return max(message.before, message.rank, message.after) if isinstance(message, Neighbours) else 0


def _name(process: Process) -> str:
    return f"process {process.pid} of {process.host}"
