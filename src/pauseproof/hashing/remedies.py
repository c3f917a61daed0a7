"""What would spread a polarized chain: the smallest change of one setting, found by trying and counting again.

Changes are tried in the order in which operators like to make them: another offset (rotation) of one tier, another polynomial,
more fields; and another seed where the hash is not linear. For a linear hash another seed is never tried: it adds a constant to
the values, and parts no flows that another hash put together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pauseproof.hashing.chains import Chain, Met
from pauseproof.hashing.combinations import Count, Pair, count, with_setting
from pauseproof.readers.hash_lines import LINUX

OFFSETS = range(1, 16)
POLYNOMIALS = ("crc16", "ccitt", "crc32lo", "crc32hi")
MORE_FIELDS = ("l4-src-port", "dest-qp")


@dataclass(frozen=True)
class Remedy:
    """At the hash ``met[at]`` of the chain, ``key`` becomes ``value``; ``after`` is the chain's count then.

    ``whole``: nothing is lost any more in any chain that this hash is part of.
    """

    at: int
    key: str
    value: str
    after: Count
    whole: bool


def remedy(chain: Chain, every: Sequence[tuple[Chain, Sequence[Pair]]], sport: int) -> Remedy | None:
    """The first change that loses nothing in any chain, else the one after which least is lost; None where none helps.

    ``every`` has all chains of the fabric with pairs of hosts: no other one may lose more than it does today.
    """
    pairs = next(pairs for other, pairs in every if other is chain)
    today = count(chain.met, pairs, sport)
    best: Remedy | None = None
    for at in reversed(range(len(chain.met))):
        old = chain.met[at]
        others = [(other, found) for other, found in every if old in other.met and other is not chain]
        for key, value, changes in _changes(old):
            after = count(with_setting(chain.met, old, **changes), pairs, sport)
            if after.combinations <= max(today.combinations, best.after.combinations if best else 0):
                continue
            if not all(_no_worse(other, found, old, changes, sport) for other, found in others):
                continue
            whole = after.combinations >= after.best
            best = Remedy(at, key, value, after, whole)
            if whole:
                return best
    return best


def _no_worse(chain: Chain, pairs: Sequence[Pair], old: Met, changes: dict[str, object], sport: int) -> bool:
    before, after = count(chain.met, pairs, sport), count(with_setting(chain.met, old, **changes), pairs, sport)
    return after.combinations >= before.combinations


def _changes(met: Met) -> Iterator[tuple[str, str, dict[str, object]]]:
    """(key, value, the setting's changes)."""
    setting = met.stage.setting
    if setting.kind != "hash" or setting.function() is None:
        return
    if setting.algorithm == LINUX:
        if setting.policy == 0:
            yield "policy", "1", {"policy": 1}
        yield "seed", str((setting.seed or 0) + 1), {"seed": (setting.seed or 0) + 1}
        return
    for offset in OFFSETS:
        if offset != setting.offset:
            yield "offset", str(offset), {"offset": offset}
    for name in POLYNOMIALS:
        if name != setting.algorithm:
            yield "algorithm", name, {"algorithm": name}
    for field in MORE_FIELDS:
        if field not in setting.fields:
            yield "fields", f"{', '.join((*setting.fields, field))}", {"fields": (*setting.fields, field)}
    if not setting.linear:
        yield "seed", str((setting.seed or 0) + 1), {"seed": (setting.seed or 0) + 1}
