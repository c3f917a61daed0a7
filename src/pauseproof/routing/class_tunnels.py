"""Tunnels as routing sees them: where packets are put in and taken out, and what becomes of their labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from pauseproof.fabric.model import Ids
from pauseproof.readers.native_lines import Word
from pauseproof.routing.class_hops import Label, enter
from pauseproof.routing.class_rows import Rows
from pauseproof.routing.class_turns import NOT_KNOWN, Turns
from pauseproof.routing.config_classes import TunnelMaps


@dataclass(frozen=True)
class Tunnel:
    """Packets that switch ``at`` puts into a tunnel to switch ``to`` (-1: not in the fabric), outer address ``address``.

    ``row`` [radix+1, radix+1] is the row of ``Lanes.step`` at (in-port, out-port) for packets that are put into it there,
    UNKNOWN_ROW where there is no cable or the classes are not known. ``packs[k]`` are the labels that a packet of label ``k``
    can get by that, ``unpacks[k]`` the label that it has when ``to`` has unpacked it (-1: not in a tunnel); the turn rows of
    ``to`` do that themselves. ``standby`` are the declared addresses, prefixes and hosts that lie behind it.
    """

    at: int
    to: int
    address: str
    row: Ids
    packs: tuple[tuple[int, ...], ...]
    unpacks: tuple[int, ...]
    standby: tuple[Word, ...] = ()


def tunnels_of(turns: Turns, rows: Rows) -> tuple[Tunnel, ...]:
    """Every tunnel that begins in the fabric."""
    out = []
    for s, peer, address, maps, standby in turns.classes.packing:
        row = turns.tunnel_row(rows, s, maps)
        packs, unpacks = _packs(turns, rows.labels, s, maps), _unpacks(turns, rows.labels, peer)
        out.append(Tunnel(s, peer, address, row, packs, unpacks, standby))
    return tuple(out)


def _packs(turns: Turns, labels: Sequence[Label], s: int, maps: TunnelMaps) -> tuple[tuple[int, ...], ...]:
    sides = [turns.sides[number] for number in sorted({*turns.side_of_port[s]} - {NOT_KNOWN})]
    packed = [{enter(side, side.profile, k, maps)[0] for side in sides if k.inner < 0} for k in labels]
    return tuple(tuple(sorted(labels.index(k) for k in found if k in labels)) for found in packed)


def _unpacks(turns: Turns, labels: Sequence[Label], peer: int) -> tuple[int, ...]:
    numbers = {*turns.side_of_port[peer]} - {NOT_KNOWN} if peer >= 0 else set()
    if not numbers:
        return (-1,) * len(labels)
    side = turns.sides[min(numbers)]
    plain = [side.unpacked(k) if k.inner >= 0 else None for k in labels]
    return tuple(labels.index(k) if k in labels else -1 for k in plain)
