"""What a format of forwarding tables must say about its lines, and the words for them."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pauseproof.readers.lft_lines import I32, Piece

LAST_UNICAST_LID = 0xBFFF
UNREACHABLE = 255  # what a switch itself holds for "discard"; also the matrix's value for "no row"


class Header(NamedTuple):
    """The first line of a block. ``guid`` 0, ``lid`` 0, ``first`` and ``top`` -1 where the line does not say.

    ``top`` is the last LID that the line promises: it is compared, never trusted.
    """

    guid: int
    lid: int = 0
    name: str = ""
    first: int = -1
    top: int = -1


class Trailer(NamedTuple):
    """The last line of a block, with the number in it."""

    number: int


class Row(NamedTuple):
    """A row that is not of the usual shape. ``port`` UNREACHABLE where it says so."""

    lid: int
    port: int


class MulticastHeader(NamedTuple):
    """The first line of a block of multicast LIDs, whose lines are passed over."""


class MulticastTrailer(NamedTuple):
    """The last line of such a block."""


class ReadFailed(NamedTuple):
    """The dumping tool says that it could not read 64 rows of a switch, from ``first`` on."""

    guid: int
    first: int


class Refused(NamedTuple):
    """A line that the format does not have; a sentence."""

    message: str


Line = Header | Trailer | Row | MulticastHeader | MulticastTrailer | ReadFailed | Refused | None


@dataclass(frozen=True)
class Rows:
    """Every line of a piece as a row, [lines] each. ``lid`` is at least BAD where the line is no row of the usual shape."""

    lid: I32
    port: I32


class TableFormat(Protocol):
    """A format. ``rows`` decodes the usual lines at once, ``line`` any single other one (None: nothing in it)."""

    name: str
    expected: str
    comments: bool  # whether rows may name the owner of their LID

    def rows(self, piece: Piece) -> Rows:
        """The rows of the usual shape; their LIDs and ports are within bounds."""

    def line(self, text: bytes) -> Line:
        """What one other line says."""

    def owner(self, text: bytes) -> int:
        """The port GUID in the comment of a row, 0 where there is none."""

    def whole_without_newline(self, text: bytes) -> bool:
        """Can a last line without newline only be whole?"""


def row_or_refusal(lid: int, port: int) -> Row | Refused:
    """A row with both numbers within bounds, or why not."""
    if lid > LAST_UNICAST_LID:
        return Refused(f"LID 0x{lid:x} is too large; expected a unicast LID, at most 0x{LAST_UNICAST_LID:x}")
    if port > UNREACHABLE:
        return Refused(f"port {port} is too large; expected 0..254, or 255 for unreachable")
    return Row(lid, port)
