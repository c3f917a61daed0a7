"""A report as JSON, the same bytes for the same report. Its schema is docs/schema/report.schema.json."""

from collections.abc import Iterable

from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import (
    Conditions,
    DependencyFact,
    FabricReport,
    Finding,
    FlowWords,
    LinkLoad,
    LoopHop,
    Report,
)
from pauseproof.reports.documents import Json, document, inputs_json, place_json, rendered
from pauseproof.reports.words import encodable as _text


def render_json(report: Report) -> str:
    """The report as JSON text, two spaces deep, ASCII only, with a line end.

    >>> render_json(Report((), ()))[:21]
    '{\\n  "schema_version":'
    """
    return rendered(as_json(report))


def as_json(report: Report) -> Json:
    """The report as plain dicts and lists, in a fixed order."""
    return document(
        inputs=inputs_json(report.inputs),
        fabrics=[_fabric(fabric) for fabric in sorted(report.fabrics, key=lambda fabric: fabric.name)],
    )


def _fabric(fabric: FabricReport) -> Json:
    return {
        "name": _text(fabric.name),
        "kind": fabric.kind,
        "verdict": fabric.verdict.value,
        "reason": _text(fabric.reason),
        "evidence": [{"kind": fact.kind, "statement": _text(fact.statement)} for fact in fabric.evidence],
        "assumptions": _texts(fabric.assumptions),
        "coverage": {key: _value(fabric.coverage[key]) for key in sorted(fabric.coverage)},
        "cyclic_components": sorted(map(int, fabric.cyclic_components)),
        "other_traffic": {name: fabric.other_traffic[name].value for name in sorted(fabric.other_traffic)},
        "findings": [finding_json(finding) for finding in sorted(fabric.findings, key=by_severity)],
    }


def finding_json(finding: Finding) -> Json:
    """One finding."""
    out: Json = {
        "rule": finding.rule,
        "slug": finding.slug,
        "severity": finding.severity.value,
        "message": _text(finding.message),
        "identity": _text(finding.identity),
        "where": [place_json(place) for place in finding.where],
        "loop": [_hop(hop) for hop in finding.loop],
        "fix": _text(finding.fix),
    }
    if finding.conditions:
        out["conditions"] = _conditions(finding.conditions)
    if finding.carries:
        out["dependencies"] = [_dependency(fact) for fact in finding.carries.dependencies]
        out["witness"] = {"flows": len(finding.carries.flows), "fewest": finding.carries.fewest}
    return out


def _dependency(fact: DependencyFact) -> Json:
    out: Json = {"buffer": _text(fact.buffer), "waits_for": _text(fact.waits_for), "routable": fact.routable}
    if fact.why:
        out["why"] = _text(fact.why)
    if fact.carried is not None:
        out["carried"] = fact.carried
    if fact.flow:
        out["flow"] = _flow(fact.flow)
    return out


def _flow(flow: FlowWords) -> Json:
    out: Json = {"source": _text(flow.source), "destination": _text(flow.destination), "label": _text(flow.label)}
    if flow.src_ip:
        out |= {"src_ip": flow.src_ip, "dst_ip": flow.dst_ip, "protocol": flow.protocol}
        out |= {"src_port": flow.src_port, "dst_port": flow.dst_port, **dict(flow.more)}
    return out


def _conditions(conditions: Conditions) -> Json:
    return {
        "links": [_link_load(link) for link in conditions.links],
        "triggers": [{"host": _text(host), "buffers": buffers} for host, buffers in conditions.triggers],
    }


def _link_load(link: LinkLoad) -> Json:
    out: Json = {
        "from": _text(link.from_device),
        "from_port": _text(link.from_port),
        "to": _text(link.device),
        "to_port": _text(link.port),
        "lane": _text(link.lane),
        "unit": "links" if link.relative else "Gb/s",
        "rate": link.rate,
        "most": link.most,
        "sends": [{"source": _text(s), "receiver": _text(g), "rate": rate} for s, g, rate in link.sends],
        "fewest": link.fewest,
    }
    if link.declared:
        out["declared"] = {"least": link.declared[0], "most": link.declared[1]}
    return out


def _hop(hop: LoopHop) -> Json:
    out: Json = {
        "buffer": _text(hop.buffer),
        "device": _text(hop.device),
        "device_id": _text(hop.device_id),
        "port": _text(hop.port),
        "lane": _text(hop.lane),
        "from_device": _text(hop.from_device),
        "from_id": _text(hop.from_id),
        "from_port": _text(hop.from_port),
    }
    if hop.waits_for:
        out["waits_for"] = [_text(name) for name in hop.waits_for]
    if because := hop.because:
        out["because"] = {
            "source": _text(because.source),
            "destination": _text(because.destination),
            "label": _text(because.label),
            "switch": _text(because.switch),
            **place_json(because.place),
        }
    return out


def _value(value: int | str) -> int | str:
    return _text(value) if isinstance(value, str) else int(value)


def _texts(texts: Iterable[str]) -> list[str]:
    return [_text(text) for text in texts]
