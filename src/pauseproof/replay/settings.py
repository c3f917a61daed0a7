"""What a run of the model assumes: sizes, thresholds, delays, and who goes first.

Times are whole picoseconds, buffers whole packets. Sources of the defaults are in docs/replay.md.
"""

from dataclasses import dataclass
from typing import Literal

Arbitration = Literal["fifo", "round-robin", "random"]
ARBITRATIONS: tuple[Arbitration, ...] = ("fifo", "round-robin", "random")
FlowControl = Literal["pause", "credits"]

NS, US, MS = 1_000, 1_000_000, 1_000_000_000  # in picoseconds
CABLE_PS = 5 * NS  # a metre of cable
FRAME_BITS = 672  # a pause frame with its gap
QUANTUM_BITS = 512
RESPONSE_QUANTA = {800: 905, 400: 905, 200: 453, 100: 394, 50: 147, 40: 118, 25: 80, 10: 67}  # by Gb/s, IEEE 802.3 annex 31B


@dataclass(frozen=True)
class Settings:
    """One way to run the model.

    A buffer asks for a pause at ``xoff`` packets and ends it at ``xon``; with credits it holds ``credits``. ``speed`` (Gb/s)
    and ``length`` (m) stand where the fabric's own are not known. ``ttl`` None: packets go round for ever. ``watchdog``: a
    queue that is paused so long loses its packets; ``hoq``: a packet that heads its queue so long is lost (None: never).
    """

    packet: int = 4096
    xoff: int = 16
    xon: int = 2
    credits: int = 16
    speed: float = 100.0
    length: float = 40.0
    ttl: int | None = 64
    watchdog: int | None = None
    hoq: int | None = None
    arbitration: Arbitration = "fifo"
    control: FlowControl = "pause"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.xon < self.xoff:
            raise ValueError(f"XON at {self.xon} packets must be below XOFF at {self.xoff}")
        if self.credits < 1:
            raise ValueError("a buffer with credits holds at least one packet")

    def sending(self, speed: float) -> int:
        """How long a packet takes to be sent at so many Gb/s.

        >>> Settings().sending(100.0)
        327680
        """
        return round(self.packet * 8 * 1000 / speed)

    def travelling(self, length: float) -> int:
        """How long the first bit of it takes over so many metres."""
        return round(length * CABLE_PS)

    def pausing(self, speed: float, length: float) -> int:
        """From the decision to pause to the last packet that is still begun: frame, cable, and the response of the peer.

        >>> Settings().pausing(100.0, 40.0)
        2224000
        """
        quanta = RESPONSE_QUANTA[min(RESPONSE_QUANTA, key=lambda known: abs(known - speed))]
        return self.travelling(length) + round((FRAME_BITS + quanta * QUANTUM_BITS) * 1000 / speed)
