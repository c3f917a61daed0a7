"""Which models explain measured samples, for readers and for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

from pauseproof.hashing.samples import Explained, Fit
from pauseproof.reports.documents import document
from pauseproof.reports.styled import BLANK, Line, Span, line
from pauseproof.reports.words import count, encodable, printable

SHOWN = 5
TOO_FEW = "too few samples to tell: of as many unrelated functions {} would pass by chance"


def sample_lines(file: str, found: Sequence[Explained]) -> Iterator[Line]:
    """A paragraph for each device."""
    for i, one in enumerate(found):
        if i:
            yield BLANK
        yield from _device(file, one)


def _device(file: str, one: Explained) -> Iterator[Line]:
    seen = f"{count(len(one.samples), 'sample')} ({one.distinct:,} different) over {count(len(one.ports), 'port')}"
    yield line(Span(printable(one.device) or "the device", "title"), f": {seen}, {count(one.members, 'member')}")
    consistent = one.consistent
    for fit in consistent[:SHOWN]:
        yield line("  ", Span("explains all", "good" if one.telling else "unsure"), f": {fit.model}")
    if len(consistent) > SHOWN:
        yield line(f"  and {len(consistent) - SHOWN} more that explain all")
    refuted = [fit for fit in one.fits if fit.refuting >= 0]
    if refuted:
        yield line("  ", Span("refuted", "bad"), f": {len(refuted)} of {count(len(one.fits), 'model')}; the best of them:")
        yield line(f"    {refuted[0].model}: {_agreement(file, one, refuted[0])}")
    if not one.telling:
        yield line("  ", Span(TOO_FEW.format(f"{one.by_chance:.2g}"), "unsure"))


def _agreement(file: str, one: Explained, fit: Fit) -> str:
    first = f"{printable(file)}:{one.samples[fit.refuting].line}"
    return f"{fit.agree:,} of {len(one.samples):,} agree; first refuted at {first}"


def samples_json(inputs: list[dict[str, Any]], found: Sequence[Explained]) -> dict[str, Any]:
    """The same as plain data; every model is listed."""
    return document(inputs=inputs, devices=[_device_json(one) for one in found])


def _device_json(one: Explained) -> dict[str, Any]:
    return {
        "device": encodable(one.device),
        "samples": len(one.samples),
        "distinct": one.distinct,
        "ports": [encodable(port) for port in one.ports],
        "members": one.members,
        "enough": one.telling,
        "passing_by_chance": one.by_chance,
        "models": [_fit_json(one, fit) for fit in one.fits],
    }


def _fit_json(one: Explained, fit: Fit) -> dict[str, Any]:
    model = fit.model
    return {
        "algorithm": model.algorithm,
        "fields": list(model.fields),
        "seed": model.seed,
        "offset": model.offset,
        "value_bits": model.value_bits,
        "agree": fit.agree,
        "consistent": fit.refuting < 0,
        "first_refuting_line": one.samples[fit.refuting].line if fit.refuting >= 0 else None,
    }
