"""Labels, lanes, and how a hop chooses them.

A *label* is what the packet carries (SL, or DSCP with tunnel state); a *lane* is what is paused alone (VL, or priority
group). A *class* is a (label, lane) pair: what a packet is while it sits in a buffer. At a hop the next class is a
function of (in-port, out-port, label); the functions are few, so each turn names a *row* of ``step``.

Notation: ``k`` a label index, ``v`` a lane index, ``c`` a class index, ``r`` a row of ``step``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LOSSY = -1  # the packet is dropped (VL 15), or leaves the lossless classes where they are not followed further
NOT_OFFERED = -2  # in a row that a choice names for one of its members: packets of this label do not have that member
UNKNOWN_ROW = -1  # the map of this turn was not read


@dataclass(frozen=True)
class Lanes:
    """How labels become lanes.

    ``label_names`` [K] and ``lane_names`` [V] are what users call them (``0``..``15`` on InfiniBand).
    ``class_label``, ``class_lane`` [C] list the classes. ``step`` [R, K] maps a label to the next class or LOSSY.
    ``turn_row`` [S, P+1, P+1] gives the row for (switch, in-port, out-port), in-port 0 being the switch itself, or
    UNKNOWN_ROW; None means row 0 at every turn. ``host_row`` [H] gives the row for the first hop of host ``h``.

    Egress coupling: ``coupled[r][k]`` are the lanes, other than its own next lane, for which a packet of label ``k`` that takes
    row ``r`` waits on the same out-link: those whose pause stops the egress queue that it stands in, and the next lanes of
    the packets that may stand there with it. Each makes a choice set of its own, ``{(out-link, lane)}``, but only where some
    packet can be in that buffer (one that never fills never pauses). A packet that is lossy after the row waits for them too:
    its queue does not know what becomes of it. An adaptive choice with such a member counts as hashed. None where no queue is
    shared.

    ``lossy_lane`` is the lane of packets that have fallen out of the lossless classes and go on all the same: a full buffer
    drops them, so it never pauses. Nobody waits for it, and who waits in it makes nobody wait; None where LOSSY is a drop.
    """

    label_names: tuple[str, ...]
    lane_names: tuple[str, ...]
    class_label: NDArray[np.int16]
    class_lane: NDArray[np.int16]
    step: NDArray[np.int16]
    turn_row: NDArray[np.int32] | None
    host_row: NDArray[np.int32]
    coupled: tuple[tuple[tuple[int, ...], ...], ...] | None = None
    lossy_lane: int | None = None

    @property
    def n_classes(self) -> int:
        """Number of (label, lane) pairs."""
        return len(self.class_label)

    @property
    def n_lanes(self) -> int:
        """A buffer's id is ``link * n_lanes + lane``."""
        return len(self.lane_names)

    @classmethod
    def identity(cls, n_hosts: int, labels: tuple[str, ...] = ("0",)) -> "Lanes":
        """Every label rides the lane of the same name, everywhere.

        >>> Lanes.identity(2).after_host(0, 0)
        (0, 0)
        """
        one_each = np.arange(len(labels), dtype=np.int16)
        return cls(labels, labels, one_each, one_each, one_each[None, :], None, np.zeros(n_hosts, np.int32))

    def row_at(self, switch: int, in_port: int, out_port: int) -> int:
        """The row of ``step`` for one turn, or UNKNOWN_ROW."""
        return 0 if self.turn_row is None else int(self.turn_row[switch, in_port, out_port])

    def offers(self, row: int, label: int) -> bool:
        """Whether a member of a choice that has a row of its own is there for packets of ``label``."""
        return int(self.step[row, label]) != NOT_OFFERED

    def after_row(self, row: int, label: int) -> tuple[int, int] | None:
        """(label, lane) that a row gives, None where the packet is lossy from here on."""
        c = int(self.step[row, label])
        return None if c == LOSSY else (int(self.class_label[c]), int(self.class_lane[c]))

    def after_turn(self, switch: int, in_port: int, out_port: int, label: int) -> tuple[int, int] | None:
        """(label, lane) after the hop, None where the packet is lossy from here on; KeyError where the map is unknown."""
        row = self.row_at(switch, in_port, out_port)
        if row == UNKNOWN_ROW:
            raise KeyError((switch, in_port, out_port))
        return self.after_row(row, label)

    def waits_also(self, row: int, label: int) -> tuple[int, ...]:
        """The other lanes on the out-link that a packet waits for (egress coupling)."""
        return () if self.coupled is None or row == UNKNOWN_ROW else self.coupled[row][label]

    def after_host(self, host: int, label: int) -> tuple[int, int] | None:
        """(label, lane) on the link that leaves a host; KeyError where the map is unknown."""
        row = int(self.host_row[host])
        if row == UNKNOWN_ROW:
            raise KeyError(host)
        return self.after_row(row, label)
