"""Chains of hashes for tests, and their combinations by trying every source port."""

import numpy as np

from pauseproof.hashing.chains import Met
from pauseproof.hashing.combinations import Pair
from pauseproof.hashing.decision import Stage
from pauseproof.hashing.headers import FIVE_TUPLE, roce
from pauseproof.hashing.setting import Setting

PAIR = Pair(4, (0, 0x0A000101), (0, 0x0A000201))
OTHER = Pair(4, (0, 0x0A000107), (0, 0x0A00020B))


def met(size: int, algorithm: str = "crc16", *, tier: int = 0, weights: tuple[int, ...] = (), **more: object) -> Met:
    setting = Setting(**{"algorithm": algorithm, "fields": FIVE_TUPLE, "seed": 0, **more})  # type: ignore[arg-type]
    return Met(Stage("ecmp", setting, setting.selection(weights or (1,) * size)), tier)


def tried(chain: tuple[Met, ...], pair: Pair) -> int:
    """One port after the other through the definitions themselves."""
    h = roce(pair.family, pair.source, pair.destination, np.arange(0xC000, 0x10000))
    columns = []
    for one in chain:
        function = one.stage.setting.function()
        assert function is not None
        columns.append(np.broadcast_to(one.stage.selection.member(function.value(h)), 1 << 14).tolist())
    return len(set(zip(*columns, strict=True)))
