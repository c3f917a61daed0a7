"""Valley-free routing by tier: towards higher tiers first, then towards lower ones, as a Clos with BGP policy routes.

See :mod:`pauseproof.routing.engines.up_then_down` for what is chosen where several ways are legal.
"""

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.routing.engines.levels import Rows
from pauseproof.routing.engines.up_then_down import up_then_down


def valley_free(fabric: Fabric, origin: Ids, tier: Ids) -> Rows:
    """``rows`` [L, W] as in :func:`ecmp`. Links inside one tier carry nothing."""
    return up_then_down(fabric, origin, tier)
