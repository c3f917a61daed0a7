"""Which labels packets can carry: those they are sent with, and whatever remaps, port maps and tunnels make of them.

Worked out as if any packet could come to any port: a label too many costs a column and is never reached.
"""

from collections.abc import Iterable

from pauseproof.routing.class_hops import Label, Rewrite, Side, enter, leave
from pauseproof.routing.class_rows import Out
from pauseproof.routing.config_classes import TunnelMaps


def reachable_labels(
    sent: Iterable[int], sides: Iterable[Side], outs: Iterable[Out], rewrites: Iterable[Rewrite], tunnels: Iterable[TunnelMaps]
) -> tuple[Label, ...]:
    """All labels, ascending, from the DSCPs that hosts send."""
    sides, tunnels = set(sides), set(tunnels)
    writers = {out.profile.dscp_of_tc: out.profile for out in outs}.values()
    changes = (None, *rewrites)
    found: set[Label] = set()
    new = {Label(dscp) for dscp in sent}
    while new:
        found |= new
        plain = [label for label in new if label.inner < 0]
        left = {leave(side, out, label, change)[0] for side in sides for out in writers for label in new for change in changes}
        packed = {enter(side, out, label, maps)[0] for side in sides for out in writers for label in plain for maps in tunnels}
        new = (left | packed) - found
    return tuple(sorted(found))
