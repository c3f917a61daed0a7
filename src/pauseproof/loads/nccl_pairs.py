"""Which QPs of NCCL's logs belong to which connection.

A process connects one after the other: the QPs of one NIC belong, in the order of the log, to the connections by it. NCCL logs
the sender's QP since 2.4 (the line of ``ncclIbConnect``), the receiver's since 2.29 (``QP created``). Where the counts do not
fit, as with connections that are shared, nothing is told.
"""

from collections import defaultdict
from collections.abc import Iterator

from pauseproof.loads.nccl_communicators import Connection, LoggedCommunicator, Logs
from pauseproof.readers.nccl_log import Process


class LoggedPairs:
    """Gives QPs to connections: those of a process and NIC in the order of its log."""

    def __init__(self, logs: Logs) -> None:
        self.found: dict[tuple[str, Connection, bool], tuple[int, ...]] = {}
        for sends in (True, False):
            wanted: dict[tuple[Process, int], list[tuple[str, Connection]]] = defaultdict(list)
            for group in logs.communicators.values():
                for key, end in (group.senders if sends else group.receivers).items():
                    wanted[end.process, end.nic].append((group.key, key))
            for (process, nic), keys in wanted.items():
                made = list((_of_senders if sends else _of_receivers)(logs, process, nic))
                self._deal(keys, made, sends)

    def _deal(self, keys: list[tuple[str, Connection]], made: list[list[int]], sends: bool) -> None:
        """As many to each connection as to every other; those of the devices of a merged NIC in turn."""
        each = len(made[0]) // len(keys) if made else 0
        if not each or any(len(numbers) != each * len(keys) for numbers in made):
            return
        for i, (group, key) in enumerate(keys):
            parts = [numbers[i * each : (i + 1) * each] for numbers in made]
            self.found[group, key, sends] = tuple(number for turn in zip(*parts, strict=True) for number in turn)

    def of(self, group: LoggedCommunicator, key: Connection, *, sends: bool) -> tuple[int, ...]:
        """The QPs of one end of a connection, none where the logs do not tell them."""
        return self.found.get((group.key, key, sends), ())


def _of_senders(logs: Logs, process: Process, nic: int) -> Iterator[list[int]]:
    """The numbers on each device: connect lines name NCCL's NIC and the device."""
    here = [pair for pair in logs.pairs[process] if pair.sends and pair.nic == nic]
    for device in sorted({pair.device for pair in here}):
        yield [pair.number for pair in here if pair.device == device]


def _of_receivers(logs: Logs, process: Process, nic: int) -> Iterator[list[int]]:
    """The numbers on each device: lines of QPs that were made name the HCA."""
    listed = logs.nics_of(process)[0].hcas
    for hca, _ in listed[nic] if nic < len(listed) else ():
        yield [pair.number for pair in logs.pairs[process] if not pair.sends and pair.hca == hca]
