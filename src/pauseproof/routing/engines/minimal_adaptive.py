"""Fully adaptive minimal routing: at every switch any link that brings the packet one hop nearer.

The links are those of shortest-path ECMP; what differs is who picks among them, and when: see ``adaptive`` of
:mod:`pauseproof.routing.native`.
"""

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.ecmp import ecmp
from pauseproof.routing.engines.levels import Rows


def minimal_adaptive(fabric: Fabric, origin: Ids) -> Rows:
    """``rows`` [L, W] as in :func:`ecmp`."""
    return ecmp(fabric, origin)
