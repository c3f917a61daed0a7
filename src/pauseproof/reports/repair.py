"""What can be done about a deadlock, for people and for programs (docs/schema/repair.schema.json)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from pauseproof.findings.report import Verdict
from pauseproof.repair.alternative import Change
from pauseproof.repair.apply import Applied
from pauseproof.repair.effects import Effects, Ways
from pauseproof.repair.how_to import how_to
from pauseproof.repair.repair import EscapeSet, Repair
from pauseproof.reports.documents import Json, document, inputs_json, place_json, rendered
from pauseproof.reports.styled import BLANK, Line, Meaning, Span, line, title
from pauseproof.reports.words import count, encodable, printable

ORDER = "in order: lossless first, then the fewest rows moved, turns rewritten and lanes or classes added, counted together"
MOST_CHANGES = 20  # a reader wants the size of it; --write and --format json have them all

_MEANING: dict[Verdict, Meaning] = {
    Verdict.DEADLOCK_FREE: "good",
    Verdict.DEADLOCK_POSSIBLE: "bad",
    Verdict.UNDECIDED: "unsure",
}


def repair_lines(found: Repair, again: str = "PATH...") -> Iterator[Line]:
    """The alternatives, line by line; ``again`` is what the user typed."""
    network, verdict = found.before.asked.network, found.before.verdict
    about = f"  {printable(network.fabric.name)}, {network.fabric.kind}, traffic: {found.before.asked.traffic.name}"
    yield line(Span(verdict.value, _MEANING[verdict]), about)
    if verdict is not Verdict.DEADLOCK_POSSIBLE:
        what = "there is nothing to repair" if verdict is Verdict.DEADLOCK_FREE else "what was not read comes first"
        yield line("  ", f"{printable(found.before.reason)}; {what}")
    elif not found.offered:
        yield line("  no alternative was found that is free and keeps every pair connected")
    common = common_assumptions(found)
    for number, one in enumerate(found.offered, 1):
        yield BLANK
        yield from _alternative(number, one, common)
    if common:
        yield BLANK
        yield title(f"{'Each of them' if len(found.offered) > 1 else 'It'} also assumes")
        yield from (line("  - ", printable(text)) for text in common)
    if found.escape:
        yield BLANK
        yield from _escape(found.escape)
    if found.not_offered:
        yield BLANK
        yield title("Not offered")
        yield from (line("  ", f"{one.kind}: {printable(one.reason)}") for one in found.not_offered)
    if found.offered:
        yield BLANK
        yield title("Next")
        if len(found.offered) > 1:
            yield line(Span(f"  {ORDER}", "quiet"))
        yield line(f"  pauseproof repair {again} --kind {found.offered[0].alternative.kind} --write repaired")


def _escape(escape: EscapeSet) -> Iterator[Line]:
    yield title("Escape set of packets that choose by load until they leave")
    if not escape.exists:
        yield line(f"  none exists: {count(escape.stuck, 'buffer')} can be full of packets none of whose choices drains")
        return
    n = len(escape.buffers)
    yield line(f"  {count(n, 'buffer')}, in which every packet can always go on; {least(n, escape.bound)}")
    yield from (line("  - ", printable(name)) for name in escape.buffers[:MOST_CHANGES])
    if n > MOST_CHANGES:
        yield line(Span(f"  and {count(n - MOST_CHANGES, 'more buffer')}; --format json has all", "quiet"))


def common_assumptions(found: Repair) -> tuple[str, ...]:
    """What every alternative rests on, and is not the point of any."""
    own = {text for one in found.offered for text in one.alternative.assumptions}
    shared = [one.judged.asked.assumptions for one in found.offered]
    return tuple(text for text in shared[0] if text not in own and all(text in some for some in shared)) if shared else ()


def _alternative(number: int, one: Applied, common: Sequence[str]) -> Iterator[Line]:
    chosen = one.alternative
    yield line(
        Span(f"Alternative {number}", "title"),
        f"  {chosen.kind}: {counted(chosen.cost, chosen.unit)}; {least(chosen.cost, chosen.bound)}",
    )
    proof = "its certificate holds for the reference walker" if one.checked else "certified, too large for the reference walker"
    yield line("  after it ", Span(one.judged.verdict.value, _MEANING[one.judged.verdict]), f", all pairs kept; {proof}")
    for name, verdict in sorted(one.other_traffic.items()):
        yield line(f"  with --traffic {printable(name)} after it: ", Span(verdict.value, _MEANING[verdict]))
    for change in chosen.changes[:MOST_CHANGES]:
        place = f" ({printable(str(change.place))})" if change.place else ""
        yield line("  - ", printable(change.sentence), Span(place, "quiet"))
    if len(chosen.changes) > MOST_CHANGES:
        yield line(Span(f"  and {count(len(chosen.changes) - MOST_CHANGES, 'more change')}; --format json has all", "quiet"))
    for step in how_to(one):
        yield line("  apply: ", printable(step))
    if one.effects:
        yield line("  costs: ", effect_words(one.effects))
    if one.also:
        yield line(f"  kind {', '.join(one.also)} has no better answer: nothing is added here")
    for assumption in one.assumptions:
        if assumption not in common:
            yield line("  assumes: ", printable(assumption))


def effect_words(effects: Effects) -> str:
    """What changes, and what that does to paths and load."""
    said = [count(effects.rows, "table row")]
    said += [count(effects.turns, "rewriting turn")] if effects.turns else []
    said += (
        [f"{effects.lanes} more lane{'s' * (effects.lanes > 1)} or class{'es' * (effects.lanes > 1)}"] if effects.lanes else []
    )
    return "; ".join([", ".join(said), *_way_words(effects.before, effects.after)])


def _way_words(before: Ways | None, after: Ways | None) -> Iterator[str]:
    if before is None or after is None:
        yield "paths and load not compared"
    elif before == after:
        yield f"paths ({_length(after)}) and load (at most {count(after.busiest, 'destination')} on a cable) as today"
    else:
        yield f"paths {_length(before)} today, {_length(after)} then"
        yield f"at most {count(before.busiest, 'destination')} on a cable between switches today, {after.busiest:,} then"


def _length(ways: Ways) -> str:
    return f"{ways.mean:.2f} links on average, {ways.longest} at most"


def counted(cost: int, unit: str) -> str:
    """The cost with its unit.

    >>> counted(1, "routes moved"), counted(2, "lossless classes"), counted(1, "lossless classes")
    ('1 route moved', '2 lossless classes', '1 lossless class')
    """
    if cost != 1:
        return f"{cost:,} {unit}"
    return "1 " + re.sub(r"(\w+?)(?:(?<=ss)e)?s\b(?<!ss)", r"\1", unit, count=1)


def least(cost: int, bound: int) -> str:
    """How good something is among its like."""
    if bound >= cost:
        return "no fewer will do"
    return f"whether fewer will do was not decided, but not fewer than {bound:,}"


def render_repair(found: Repair) -> str:
    """The same as JSON text, ASCII only, with a line end."""
    return rendered(as_json(found))


def as_json(found: Repair) -> Json:
    """The alternatives as plain dicts and lists, in a fixed order."""
    network = found.before.asked.network
    return document(
        inputs=inputs_json(network.inputs),
        fabric=encodable(network.fabric.name),
        kind=network.fabric.kind,
        traffic=found.before.asked.traffic.name,
        verdict=found.before.verdict.value,
        cyclic_components=sorted(map(int, found.before.analysis.component_sizes)),
        alternatives=[_alternative_json(one) for one in found.offered],
        escape=_escape_json(found.escape),
        not_offered=[{"kind": one.kind, "reason": encodable(one.reason)} for one in found.not_offered],
    )


def _escape_json(escape: EscapeSet | None) -> Json | None:
    if escape is None:
        return None
    optimal = escape.exists and escape.bound >= len(escape.buffers)
    buffers = list(map(encodable, escape.buffers))
    return {"exists": escape.exists, "buffers": buffers, "optimal": optimal, "bound": escape.bound}


def _alternative_json(one: Applied) -> Json:
    chosen = one.alternative
    return {
        "kind": chosen.kind,
        "cost": chosen.cost,
        "unit": chosen.unit,
        "optimal": chosen.optimal,
        "bound": chosen.bound,
        "gap": chosen.gap,
        "changes": [_change_json(change) for change in chosen.changes],
        "assumptions": [encodable(text) for text in one.assumptions],
        "verdict_after": one.judged.verdict.value,
        "other_traffic_after": {name: one.other_traffic[name].value for name in sorted(one.other_traffic)},
        "effects": _effects_json(one.effects),
        "also": list(one.also),
        "apply": list(how_to(one)),
        "certificate": "checked" if one.checked else "made",
    }


def _effects_json(effects: Effects | None) -> Json | None:
    if effects is None:
        return None
    ways = {"before": effects.before, "after": effects.after}
    counts: Json = {"rows": effects.rows, "turns": effects.turns, "lanes": effects.lanes}
    return counts | {name: None if one is None else asdict(one) for name, one in ways.items()}


def _change_json(change: Change) -> Json:
    out: Json = {"sentence": encodable(change.sentence), **_plain(change.machine)}
    if change.place:
        out["where"] = place_json(change.place)
    return out


def _plain(value: Any) -> Any:
    """Mappings, lists and texts as JSON has them."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, (list, tuple)) else value
