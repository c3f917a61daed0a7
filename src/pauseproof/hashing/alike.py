"""Two hashes that are one: the same function with the same fields and offset, and the same seed or a linear function.

Another seed adds a constant to a linear hash, so that its value still says which value the first one had. What two such
decisions can do together is then found by counting values; no header is needed.
"""

from dataclasses import replace

import numpy as np

from pauseproof.hashing.algebra import words
from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.gf2 import zeros
from pauseproof.hashing.setting import Setting

_MOST_BITS = 20  # values that are counted one by one


def seedless(setting: Setting) -> Setting:
    """The function alone: the setting without its seed, and without what was said of it."""
    return replace(setting, seed=0, buckets=0, unknown=(), defaults=(), remarks=(), places={})


def one_hash(a: Setting, b: Setting) -> bool:
    """Does the value of the one say what the value of the other is, as far as function, fields, offset and seed go?"""
    if a.function() is None or b.function() is None or seedless(a) != seedless(b):
        return False
    return a.seed == b.seed or a.linear


def only_seed_differs(a: Setting, b: Setting) -> bool:
    """Were two linear hashes told apart by their seeds alone, which does not part their flows?"""
    return one_hash(a, b) and a.seed != b.seed


def used_cables(first: Stage, second: Stage) -> tuple[int, ...] | None:
    """How many members of ``second`` flows can reach that took each member of ``first``; None where the two are not one hash.

    >>> from pauseproof.hashing.selection import modulo
    >>> same = Setting(algorithm="crc16", fields=("src-ip",), seed=0)
    >>> used_cables(Stage("ecmp", same, modulo(4)), Stage("lag", same, modulo(2)))
    (1, 1, 1, 1)
    """
    a, b = first.setting.function(), second.setting.function()
    if a is None or b is None or not one_hash(first.setting, second.setting) or a.bits > _MOST_BITS:
        return None
    differing = a.value(zeros(4)) ^ b.value(zeros(4))  # 0, but for linear functions with other seeds
    values = words(np.arange(1 << a.bits))
    hop, cable = first.selection.member(values), second.selection.member(values ^ differing)
    together = np.unique(hop * np.uint64(second.selection.size) + cable) // np.uint64(second.selection.size)
    return tuple(np.bincount(together.astype(np.intp), minlength=first.selection.size).tolist())


def starved_bundles(decision: Decision) -> tuple[tuple[int, int], ...]:
    """(cables that flows can reach, all cables) of each next hop of which some cable is never taken."""
    out = []
    for m, stage in enumerate(decision.lags):
        used = None if decision.ecmp is None or stage is None else used_cables(decision.ecmp, stage)
        if used is not None and stage is not None and used[m] < stage.selection.size:
            out.append((used[m], stage.selection.size))
    return tuple(out)
