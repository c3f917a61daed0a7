"""Which models explain measured samples, for readers and for programs."""

from collections.abc import Iterable, Iterator, Sequence

from pauseproof.findings.report import Input
from pauseproof.hashing.measured import Held
from pauseproof.hashing.samples import Explained, Fit
from pauseproof.reports.documents import Json, document, inputs_json
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line
from pauseproof.reports.words import count, encodable, printable

SHOWN = 5
TOO_FEW = "too few samples to tell: of as many unrelated functions {} would pass by chance"


def sample_lines(file: str, found: Sequence[Explained], of_fabric: Sequence[Held] = ()) -> Iterator[Line]:
    """A paragraph for each device. ``of_fabric`` is what a fabric says of the samples, where one was given."""
    by_device = {one.device: one for one in of_fabric}
    for i, one in enumerate(found):
        if i:
            yield BLANK
        yield from _device(file, one, by_device.get(one.device))


def _device(file: str, one: Explained, held: Held | None) -> Iterator[Line]:
    seen = f"{count(len(one.samples), 'sample')} ({one.distinct:,} different) over {count(len(one.ports), 'port')}"
    yield line(Span(printable(one.device) or "the device", "title"), f": {seen}, {count(one.members, 'member')}")
    if held:
        yield from _held(file, one, held)
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
        yield line(
            "  ", Span(TOO_FEW.format(f"{one.by_chance:,.0f}" if one.by_chance >= 1 else f"{one.by_chance:.2g}"), "unsure")
        )


def _held(file: str, one: Explained, held: Held) -> Iterator[Line]:
    """What the device's own tables and settings say of its samples."""
    for words in held.settings:
        yield line(f"  as the fabric is set: {printable(words)}")
    decided = held.agree + len(held.refuted)
    meaning: Meaning = "bad" if held.refuted else "good"
    if decided:
        yield line("  ", Span(f"{held.agree:,} of {decided:,} left by the port that the fabric says", meaning))
    if held.refuted:
        first = held.refuted[0]
        sample = one.samples[first.sample]
        expected = " or ".join(map(printable, first.ports))
        yield line(f"    first refuted at {printable(file)}:{sample.line}: by {printable(sample.egress)}, expected {expected}")
    for why, number in held.open:
        yield line("  ", Span(f"{count(number, 'sample')} cannot be told: {printable(why)}", "unsure"))


def _agreement(file: str, one: Explained, fit: Fit) -> str:
    first = f"{printable(file)}:{one.samples[fit.refuting].line}"
    return f"{fit.agree:,} of {len(one.samples):,} agree; first refuted at {first}"


def samples_json(inputs: Iterable[Input], found: Sequence[Explained], of_fabric: Sequence[Held] = ()) -> Json:
    """The same as plain data; every model is listed."""
    by_device = {one.device: one for one in of_fabric}
    return document(inputs=inputs_json(inputs), devices=[_device_json(one, by_device.get(one.device)) for one in found])


def _device_json(one: Explained, held: Held | None) -> Json:
    return {
        "device": encodable(one.device),
        "samples": len(one.samples),
        "distinct": one.distinct,
        "ports": [encodable(port) for port in one.ports],
        "members": one.members,
        "enough": one.telling,
        "passing_by_chance": one.by_chance,
        "models": [_fit_json(one, fit) for fit in one.fits],
        **({} if held is None else {"as_set": _held_json(one, held)}),
    }


def _held_json(one: Explained, held: Held) -> Json:
    first = held.refuted[0] if held.refuted else None
    return {
        "settings": [encodable(words) for words in held.settings],
        "agree": held.agree,
        "refuted": len(held.refuted),
        "first_refuting_line": one.samples[first.sample].line if first else None,
        "expected_ports": [encodable(port) for port in first.ports] if first else [],
        "unknown": [{"why": encodable(why), "samples": number} for why, number in held.open],
    }


def _fit_json(one: Explained, fit: Fit) -> Json:
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
