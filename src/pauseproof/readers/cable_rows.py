"""The cables of one Ethernet cabling file, collected row by row, with everything that is wrong with them."""

import re
from collections.abc import Mapping

import numpy as np

from pauseproof.fabric.places import BadInput, Place, Remark
from pauseproof.readers.problems import Problems, shown
from pauseproof.readers.roce_records import CableRecords

NAN = float("nan")
NAME = re.compile(r"[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]{0,253}[^\s\x00-\x1f\x7f])?")

Row = tuple[int, str, str, str, str, float, float]


class CableRows:
    """Rows so far. ``problems`` is what was found wrong; what is left out of the fabric becomes a remark."""

    def __init__(self, file: str, format: str) -> None:
        self.file, self.format = file, format
        self.problems = Problems(file)
        self.rows: list[Row] = []
        self.roles: dict[str, str] = {}
        self.remarks: list[Remark] = []

    def add(self, line: int, a: tuple[str, str], b: tuple[str, str], speed: float = NAN, length: float = NAN) -> None:
        """A cable between two ends, each (device, port)."""
        fine = True
        for end, (device, port) in (("first", a), ("second", b)):
            for what, name in (("device", device), ("port", port)):
                if NAME.fullmatch(name) is None:
                    fine = False
                    said = f"{shown(name.encode('utf-8', 'replace'))} is no name for a {what}" if name else f"no {what}"
                    self.problems.add(line, f"{said} at the {end} end of a cable; expected device and port at both ends")
        if fine and a == b:
            self.problems.add(line, f"port {a[1]} of {a[0]!r} is cabled to itself; a cable has two ends")
        elif fine:
            self.rows.append((line, *a, *b, speed, length))

    def skip(self, line: int, what: str, about: str) -> None:
        """Something in the file that is no cable of this fabric."""
        self.remarks.append(Remark("cabling-left-out", f"{what}: left out", about, (Place(self.file, line),)))

    def records(
        self,
        *,
        declared: bool = True,
        whole: bool = True,
        may_be_empty: bool = False,
        aliases: Mapping[str, Mapping[str, str]] | None = None,
    ) -> CableRecords:
        """What the file says. Raises BadInput where anything is wrong with it, or where it holds no cable but should."""
        self.problems.raise_any()
        if not self.rows and not may_be_empty:
            raise BadInput.at(Place(self.file), "holds no cables; expected at least one")
        line, a, a_port, b, b_port, speed, length = zip(*self.rows, strict=True) if self.rows else [()] * 7
        return CableRecords(
            self.file,
            self.format,
            a,
            a_port,
            b,
            b_port,
            np.array(speed, np.float32),
            np.array(length, np.float32),
            np.array(line, np.int32),
            roles=dict(self.roles),
            declared=declared,
            whole=whole,
            aliases=aliases or {},
            remarks=tuple(self.remarks),
        )
