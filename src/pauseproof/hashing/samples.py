"""Measured egress samples against the models: which modelled functions explain by which port each packet left.

A model gives each packet the index of a member; which port has which index is not known. It *explains* the samples where every
index has one port throughout and, in a group of as many members as ports were seen, every port one index. Samples that some
model does not explain refute it, for this device; samples that it explains confirm it as far as they go: a function that has
nothing to do with the device would explain ``k`` different packets over ``n`` ports with a chance of n! / n^k.

Of a linear function and a number of members that is a power of two, no seed changes anything here: it exchanges the indices.

Notation: ``k`` packets, ``n`` members.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import lgamma, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pauseproof.hashing.algorithms import hash_function
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.linear import fast
from pauseproof.hashing.linux import Linux
from pauseproof.hashing.names import FIVE_TUPLE, JENKINS_HI, JENKINS_LO, RTAG7
from pauseproof.hashing.rtag7 import rotated_right
from pauseproof.hashing.selection import modulo, threshold
from pauseproof.readers.hash_samples import Sample

POLICIES = (0, 1, 2)
OFFSETS = 16
FEWER_BITS = 10  # that some chips take of the value before the modulo
CERTAIN = 0.01  # the expected number of unrelated models that pass by chance, above which samples are too few
_MASK = (1 << 64) - 1


class Model(NamedTuple):
    """One way in which a device might hash."""

    algorithm: str
    fields: tuple[str, ...]
    seed: int
    offset: int
    members: int
    value_bits: int = 16

    def __str__(self) -> str:
        fields = "the five-tuple" if self.fields == FIVE_TUPLE else ", ".join(self.fields)
        taken = "" if self.value_bits > FEWER_BITS else f", {self.value_bits} bits of it"
        return f"{self.algorithm} of {fields}, seed {self.seed}, offset {self.offset}{taken}"


class Fit(NamedTuple):
    """How a model does: samples that agree under the ports that suit it best, and the first that contradicts those before
    it, as an index of the device's samples; -1 where none does.
    """

    model: Model
    agree: int
    refuting: int


@dataclass(frozen=True)
class Explained:
    """What was found of one device. ``fits`` are all models tried, the best first; those of equal rank in a fixed order."""

    device: str
    samples: tuple[Sample, ...]
    ports: tuple[str, ...]
    members: int
    distinct: int
    fits: tuple[Fit, ...]

    @property
    def consistent(self) -> tuple[Fit, ...]:
        """The models that explain every sample."""
        return tuple(fit for fit in self.fits if fit.refuting < 0)

    @cached_property
    def by_chance(self) -> float:
        """How many unrelated models, of as many as were tried, are expected to explain the samples."""
        n, ports, k = self.members, len(self.ports), self.distinct
        ways = lgamma(n + 1) if n == ports else n * log(ports)
        exponent = log2(max(len(self.fits), 1)) + ways / log(2) - k * log2(ports)
        return float(2.0 ** min(max(exponent, -1000.0), 60.0))

    @property
    def telling(self) -> bool:
        """Are there enough samples for an answer?"""
        return len(self.ports) > 1 and self.by_chance <= CERTAIN


def explained(samples: Sequence[Sample], seeds: Sequence[int], members: int | None) -> list[Explained]:
    """Each device's samples against every model; ``members`` is the size of its group, else as many as ports were seen.

    Raises ValueError where a device has more ports than members.
    """
    by_device: dict[str, list[Sample]] = {}
    for sample in samples:
        by_device.setdefault(sample.device, []).append(sample)
    return [_explain(device, by_device[device], seeds or (0,), members) for device in sorted(by_device)]


def _explain(device: str, samples: list[Sample], seeds: Sequence[int], members: int | None) -> Explained:
    ports = tuple(sorted({sample.egress for sample in samples}))
    n = members or len(ports)
    if n < len(ports):
        raise ValueError(f"{device or 'the device'} sent packets by {len(ports)} ports; {n} members are too few")
    number = {port: i for i, port in enumerate(ports)}
    egress = np.array([number[sample.egress] for sample in samples])
    tried = [fit_of(model, index, egress, len(ports)) for model, index in _indices(samples, seeds, n)]
    ranked = sorted(tried, key=lambda fit: (fit.refuting >= 0, -fit.agree))  # stable: else in the order of trying
    different = len({(sample.sip, sample.dip, *sample.numbers.values()) for sample in samples})
    return Explained(device, tuple(samples), ports, n, different, tuple(ranked))


def fit_of(model: Model, index: NDArray[np.uint64], egress: NDArray[np.int64], n_ports: int) -> Fit:
    """How the members that a model gives go with the ports that were seen."""
    n, one_to_one = model.members, model.members == n_ports
    member = index.astype(np.int64)
    refuting = _first_contradiction(member, egress)
    if one_to_one:
        back = _first_contradiction(egress, member)
        refuting = min((at for at in (refuting, back) if at >= 0), default=-1)
    if refuting < 0:
        return Fit(model, len(egress), -1)
    together = np.bincount(member * n_ports + egress, minlength=n * n_ports).reshape(n, n_ports)
    if one_to_one:
        from scipy.optimize import linear_sum_assignment

        agree = int(together[linear_sum_assignment(together, maximize=True)].sum())
    else:
        agree = int(together.max(axis=1).sum())
    return Fit(model, agree, refuting)


def _first_contradiction(a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    """The first place at which a value of ``a`` goes with another ``b`` than at its first place; -1 where none is."""
    _, first, inverse = np.unique(a, return_index=True, return_inverse=True)
    wrong = np.flatnonzero(b != b[first][inverse])
    return int(wrong[0]) if len(wrong) else -1


def _indices(samples: list[Sample], seeds: Sequence[int], n: int) -> Iterator[tuple[Model, NDArray[np.uint64]]]:
    """Every model, with the members that it gives."""
    parts = _by_family(samples)
    for fields in _field_sets(samples):
        for seed in seeds:
            for algorithm in (*RTAG7, JENKINS_LO, JENKINS_HI):
                value = _values(hash_function(algorithm, fields, seed=seed), parts, len(samples))
                for offset, value_bits in product(range(OFFSETS), (FEWER_BITS, 16) if n & (n - 1) else (16,)):
                    chosen = modulo(n, value_bits=value_bits)
                    yield Model(algorithm, fields, seed, offset, n, value_bits), chosen.member(rotated_right(value, offset))
    for seed in seeds:
        for policy in POLICIES:
            linux = Linux(policy, seed)
            value = _values(linux, parts, len(samples))
            yield Model(linux.name, linux.fields, seed, 0, n, linux.bits), threshold(n).member(value)


def _field_sets(samples: list[Sample]) -> list[tuple[str, ...]]:
    """The sets that are tried: fields that the samples do not tell apart add nothing."""
    varying = {name for name in ("qp", "in_port", "vlan") if len({sample.numbers[name] for sample in samples}) > 1}
    extra = [field for field, name in (("dest-qp", "qp"), ("in-port", "in_port"), ("vlan", "vlan")) if name in varying]
    return [FIVE_TUPLE, ("src-ip", "dst-ip"), ("l4-src-port",), *((*FIVE_TUPLE, field) for field in extra)]


def _by_family(samples: list[Sample]) -> list[tuple[NDArray[np.int64], Headers]]:
    out = []
    for family in sorted({sample.family for sample in samples}):
        rows = np.array([i for i, sample in enumerate(samples) if sample.family == family])
        out.append((rows, headers_of([samples[i] for i in rows])))
    return out


def headers_of(samples: Sequence[Sample]) -> Headers:
    """The headers of samples of one family."""
    halves = [
        [[v >> 64 for v in column], [v & _MASK for v in column]]
        for column in zip(*((s.sip, s.dip) for s in samples), strict=True)
    ]
    numbers = {name: [sample.numbers[name] for sample in samples] for name in samples[0].numbers}
    return roce(samples[0].family, (halves[0][0], halves[0][1]), (halves[1][0], halves[1][1]), **numbers)


def _values(function: HashFunction, parts: list[tuple[NDArray[np.int64], Headers]], n: int) -> NDArray[np.uint64]:
    out = np.zeros(n, np.uint64)
    for rows, h in parts:
        out[rows] = fast(function, h.family).value(h)
    return out
