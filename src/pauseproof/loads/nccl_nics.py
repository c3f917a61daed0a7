"""Which hosts of a fabric the NICs of NCCL's logs are.

A NIC is found by the GID or LID that it connected with; else by the names of its host and HCA (``gpu1 mlx5_0``, or port
``mlx5_0`` of ``gpu1``); else as the n-th NIC of the node that is called like its host, where both count equally many.
"""

from collections.abc import Sequence
from functools import cached_property

from pauseproof.fabric.places import BadInput
from pauseproof.fabric.problems import refuse_if
from pauseproof.loads.host_addresses import hosts_at
from pauseproof.loads.host_finder import HostFinder
from pauseproof.loads.nccl_communicators import End, Logs
from pauseproof.readers.native_lines import Word
from pauseproof.readers.nccl_lines import QueuePair
from pauseproof.readers.nccl_log import Process
from pauseproof.routing.network import Network


class LoggedNics:
    """Finds the hosts of the fabric that NCCL's NICs are."""

    def __init__(self, logs: Logs, network: Network) -> None:
        self.logs, self.network, self.at = logs, network, hosts_at(network)
        self.finder = HostFinder(network.fabric, self.at)
        self.known: dict[tuple[Process, int], tuple[int, ...]] = {}
        self.pairs: dict[tuple[Process, int], QueuePair] = {}
        for process, pairs in logs.pairs.items():
            for pair in pairs:
                if pair.nic >= 0 and (pair.gid is not None or pair.lid >= 0):
                    self.pairs.setdefault((process, pair.nic), pair)

    def hosts(self, end: End) -> tuple[int, ...]:
        """The host of each device of a NIC, in order."""
        key = (end.process, end.nic)
        if key not in self.known:
            self.known[key] = self._find(end)
        return self.known[key]

    def _find(self, end: End) -> tuple[int, ...]:
        host, hcas = end.process.host, self._hcas(end)
        if len(hcas) < 2 and (found := self._by_address(end)):
            return found
        named = [self._named(host, hca, port) for hca, port in hcas]
        if named and all(h >= 0 for h in named):
            return tuple(named)
        own = self._of_node(host)
        listed = [hca for nic in self.logs.nics_of(end.process)[0].hcas for hca in nic]
        if listed and len(own) == len(listed):
            return tuple(own[listed.index(hca)] for hca in hcas)
        if not listed and end.nic < len(own):
            return (own[end.nic],)
        raise self._unknown(end, hcas, own)

    def _unknown(self, end: End, hcas: Sequence[tuple[str, int]], own: Sequence[int]) -> BadInput:
        host, names = end.process.host, ", ".join(f"{hca}:{port}" for hca, port in hcas) or "its name is not in the log"
        word = Word(host, end.place)
        if own:
            self.finder.wrong(
                word, f"NIC {end.nic} of {host} ({names}) is none of the {len(own)} NICs that the fabric has for it"
            )
        else:
            self.finder.host(word)
        refuse_if(self.finder.problems)
        return BadInput.at(end.place, f"NIC {end.nic} of {host} ({names}) is no host of the fabric")

    def _hcas(self, end: End) -> tuple[tuple[str, int], ...]:
        devices, place = self.logs.nics_of(end.process)
        listed = devices.hcas
        if listed and end.nic >= len(listed):
            said = f"NIC {end.nic}, and {end.process.host} lists {len(listed)}"
            raise BadInput.at(end.place, f"a connection by {said} in {place}")
        return listed[end.nic] if listed else ()

    def _by_address(self, end: End) -> tuple[int, ...]:
        """The host of the GID or the LID that the NIC connected with, where it is one alone."""
        pair = self.pairs.get((end.process, end.nic))
        if pair is None:
            return ()
        if pair.gid is None:
            found = self.with_lid.get(str(pair.lid), ())
        else:
            high, low = pair.gid
            mapped = high == 0 and low >> 32 == 0xFFFF
            found = tuple(self.at((4, low & 0xFFFFFFFF) if mapped else (6, high << 64 | low)))
        return found if len(found) == 1 else ()

    @cached_property
    def with_lid(self) -> dict[str, tuple[int, ...]]:
        """The hosts of each LID; on Ethernet none."""
        columns = self.network.destinations
        if self.network.fabric.kind != "infiniband":
            return {}
        return {name: columns.members(d) for d, name in enumerate(columns.names)}

    def _named(self, host: str, hca: str, port: int) -> int:
        """The end node that is called after the host and the HCA, or the port of the host called like the HCA."""
        for mark in (" ", "_", "-", "/", "."):
            found = self.finder.by_name.get(f"{host}{mark}{hca}", [])
            if len(found) == 1:
                return found[0]
            if 1 <= port <= len(found):
                return found[port - 1]
        ends = {self.finder.end(h): h for h in self.finder.by_name.get(host, ())}
        return ends.get(f"{host}:{hca}", -1)

    def _of_node(self, host: str) -> Sequence[int]:
        if host in self.finder.by_name:
            return self.finder.by_name[host]
        parts = [name for name in self.finder.names if name.startswith(host) and not name[len(host)].isalnum()]
        return [h for name in parts for h in self.finder.by_name[name]]
