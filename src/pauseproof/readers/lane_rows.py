"""What the two SL-to-VL formats share: rows collected as they are read, then checked against each other and packed."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pauseproof.readers.problems import Problems
from pauseproof.readers.records import LaneMapRecords

N_SLS = 16
MAX_VL = 15
MAX_PORT = 254  # port numbers are one byte, 255 means "no port"


@dataclass
class LaneRows:
    """Rows of switches (guid, in, out, values, line) and of hosts (port GUID, values, line); values are 16 bytes."""

    switch_guid: list[int] = field(default_factory=list)
    in_port: list[int] = field(default_factory=list)
    out_port: list[int] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    host_guid: list[int] = field(default_factory=list)
    host_values: list[bytes] = field(default_factory=list)
    host_line: list[int] = field(default_factory=list)

    def add_turn(self, guid: int, in_port: int, out_port: int, values: bytes, line: int) -> None:
        """One row of a switch."""
        self.switch_guid.append(guid)
        self.in_port.append(in_port)
        self.out_port.append(out_port)
        self.values.append(values)
        self.line.append(line)

    def add_host(self, port_guid: int, values: bytes, line: int) -> None:
        """The one row of a host."""
        self.host_guid.append(port_guid)
        self.host_values.append(values)
        self.host_line.append(line)

    def records(self, file: str, problems: Problems) -> LaneMapRecords:
        """The rows as arrays. Raises BadInput with what was found so far, and for rows that contradict each other."""
        guid = np.array(self.switch_guid, np.uint64)
        ports = np.array(self.in_port, np.int32), np.array(self.out_port, np.int32)
        vl, line = _matrix(self.values), np.array(self.line, np.int32)
        for at, before in _contradictions((guid, *ports), vl, line):
            turn = f"in-port {ports[0][at]}, out-port {ports[1][at]} of switch 0x{int(guid[at]):016x}"
            problems.add(int(line[at]), f"the row for {turn} differs from the one in line {line[before]}; expected one row")
        host_guid, host_line = np.array(self.host_guid, np.uint64), np.array(self.host_line, np.int32)
        host_vl = _matrix(self.host_values)
        for at, before in _contradictions((host_guid,), host_vl, host_line):
            who = f"the row of port 0x{int(host_guid[at]):016x}"
            problems.add(int(host_line[at]), f"{who} differs from the one in line {host_line[before]}; expected one row")
        problems.raise_any()
        return LaneMapRecords(file, guid, *ports, vl, line, host_guid, host_vl, host_line)


def _matrix(values: list[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), N_SLS)


def _contradictions(
    keys: tuple[NDArray[np.generic], ...], vl: NDArray[np.uint8], line: NDArray[np.int32]
) -> list[tuple[int, int]]:
    """Pairs (row, earlier row) with the same keys and other values, neighbours in the order of keys and lines."""
    order = np.lexsort((line, *reversed(keys)))
    same = np.ones(max(len(order) - 1, 0), bool)
    for key in keys:
        same &= key[order[1:]] == key[order[:-1]]
    differ = same & (vl[order[1:]] != vl[order[:-1]]).any(axis=1)
    return [(int(order[i + 1]), int(order[i])) for i in np.flatnonzero(differ)]
