"""To which links packets may come, whatever hashes choose and switches pick; many cells at once, each state visited once.

Notation: a *cell* ``c`` is what is asked about, packets of one column; ``q`` a state: (cell, column as tables see it, switch).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Ids
from pauseproof.loads.next_hops import NextHops
from pauseproof.loads.spread import MOVING
from pauseproof.routing.tables import ChoiceKind

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]
Counts = Callable[[I64, Ids, Bools], Bools]  # of (cell, link, is it delivered there): do packets of the cell take the link?


def links_reached(hops: NextHops, columns: I64, cell: I64, switch: I64, counts: Counts) -> Bools:
    """[C, L]: the links that packets of ``columns[c]`` may take, where those of ``cell[i]`` enter at ``switch[i]``."""
    fabric = hops.fabric
    seen_as = np.column_stack([columns, np.tile(hops.onward, (len(columns), 1))]).ravel()
    been = np.zeros(len(seen_as) * fabric.n_switches, np.bool_)
    used = np.zeros((len(columns), fabric.n_links), np.bool_)
    q = np.unique(cell * hops.ways * fabric.n_switches + switch)
    while len(q):
        been[q] = True
        seen, s = np.divmod(q, fabric.n_switches)
        x = hops.choice(s, seen_as[seen])
        moves = np.isin(hops.table.kind[x], MOVING)
        seen, x = seen[moves], x[moves]
        i, link, _ = hops.expand(x)
        c = seen[i] // hops.ways
        delivers = hops.table.kind[x][i] == ChoiceKind.DELIVER
        taken = counts(c, link, delivers)
        used[c[taken], link[taken]] = True
        to = fabric.link_dst[link].astype(np.int64)
        on = (to < fabric.n_switches) & ~delivers
        after = (c[on] * hops.ways + hops.onward_of[x][i[on]]) * fabric.n_switches + to[on]
        q = np.unique(after[~been[after]])
    return used
