"""Who may send to whom, and with which label.

Pairs are (source, destination) of different nodes: every sending host, and where asked every sending switch (its port 0),
to every member of every destination column that is on. A pair's label is one label for all, or what the path records say.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Traffic:
    """What the verdict is about.

    ``host_sends`` [H], ``switch_sends`` [S], ``destination_on`` [D], ``host_receives`` [H] (a member host that is off is
    no destination of a pair) are booleans. ``label`` is the label index of every pair, unless ``labels`` [H, D] (uint32) gives
    each (host, column) a set of label indices as bits; 0 = that pair's label is unknown (pairs that the traffic
    does not hold are ignored). Switch sources always use ``label``, and so do switch and multicast columns.
    ``coupled`` [H] marks hosts where receiving waits for sending: what is in the buffer at such a host waits for every
    buffer that the host's node sends into.
    The senders of a multicast column are its own members; its copies are no pairs and are not counted as such.
    """

    name: str
    host_sends: NDArray[np.bool_]
    host_receives: NDArray[np.bool_]
    switch_sends: NDArray[np.bool_]
    destination_on: NDArray[np.bool_]
    label: int = 0
    labels: NDArray[np.uint32] | None = None
    coupled: NDArray[np.bool_] | None = None
