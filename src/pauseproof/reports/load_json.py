"""Loads, balance and bisection as JSON, the same bytes for the same input. The schema is docs/schema/load.schema.json."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pauseproof.fabric.model import Fabric
from pauseproof.findings.outcome import by_severity
from pauseproof.findings.report import Finding, Input
from pauseproof.loads.balance import Balance
from pauseproof.loads.bisection import Bisection
from pauseproof.loads.chance import QUANTILES as LINK_QUANTILES
from pauseproof.loads.chance import Chance
from pauseproof.loads.job_load import JobLoad
from pauseproof.loads.why import Carried, Why
from pauseproof.reports.documents import Json, document, inputs_json, link_json, place_json
from pauseproof.reports.json import finding_json
from pauseproof.reports.load import LoadReport
from pauseproof.reports.words import encodable

F64 = NDArray[np.float64]
QUANTILES = {"least": 0.0, "5%": 0.05, "50%": 0.5, "95%": 0.95, "most": 1.0}


def load_json(report: LoadReport, inputs: Sequence[Input], job: Sequence[tuple[str, str]]) -> Json:
    """The load of a job; ``job`` are the files that tell it, and their digests."""
    found, mean, chance = report.found, report.measured.mean, report.chance
    return {
        **_head(found.fabric, inputs),
        "job": encodable(report.job),
        "job_files": [{"path": encodable(path), "sha256": digest} for path, digest in job],
        "method": found.method,
        "statement": found.method_words,
        "slowdown": _rounded(found.times.slowdown),
        "slowdown_is": report.measured.kind,
        "unit_of_time": "s" if found.speeds.known else "bytes of one link",
        **({"distribution": _distribution(report)} if chance or found.worst else {}),
        "phases": [_phase(found, p) | _phase_samples(chance, p) for p in range(len(found.phases))],
        "links": _links(mean, chance),
        "incast": _incast(found),
        "why": [_why(found, phase, why) for phase, why in report.measured.hot],
        "balance": balance_rows(report.used),
        "bytes": {
            "sent": _number(found.incast.sent.sum()),
            "arrived": _number(found.load.arrived.sum()),
            "lost": _number(found.load.lost.sum()),
            "looping": _number(found.load.looping.sum()),
            "unknown": _number(found.load.unknown.sum()),
            "within_machines": _number(found.beside),
        },
        "findings": _findings(report.findings),
        "assumptions": [encodable(assumption) for assumption in report.assumptions],
    }


def balance_json(fabric: Fabric, used: Balance, findings: Sequence[Finding], inputs: Sequence[Input]) -> Json:
    """The static balance of the tables."""
    links = [{**link_json(fabric, l), "destinations": int(used.destinations[l])} for l in range(fabric.n_links)]
    return {
        **_head(fabric, inputs),
        "destinations": used.columns,
        "idle": used.idle,
        "balance": balance_rows(used),
        "links": links,
        "findings": _findings(findings),
    }


def bisection_json(fabric: Fabric, found: Bisection, inputs: Sequence[Input], assumptions: Sequence[str]) -> Json:
    """The effective bisection bandwidth."""
    return {
        **_head(fabric, inputs),
        "pattern": found.pattern,
        "permutations": len(found.mean),
        "seed": found.seed,
        "hosts": found.hosts,
        "flows": int(found.flows.sum()),
        "silent": found.silent,
        "failed_flows": found.failed,
        "effective_bisection_bandwidth": _rounded(found.effective),
        "quantiles": {name: _rounded(float(np.quantile(found.mean, q))) for name, q in QUANTILES.items()},
        "least_share": _rounded(float(found.least.min())),
        "most_flows_on_a_link": _number(found.crowd.max()),
        "assumptions": [encodable(assumption) for assumption in assumptions],
    }


def balance_rows(used: Balance) -> list[Json]:
    """A row for each two tiers that links join."""
    return [
        {
            "from_tier": level.from_tier - 1,
            "to_tier": level.to_tier - 1,
            "links": len(level.links),
            "idle": len(level.idle),
            "least": int(level.destinations.min()),
            "mean": _rounded(float(level.destinations.mean())),
            "most": int(level.destinations.max()),
        }
        for level in used.levels
    ]


def _head(fabric: Fabric, inputs: Sequence[Input]) -> Json:
    return document(inputs=inputs_json(inputs), fabric=encodable(fabric.name), kind=fabric.kind)


def _phase(found: JobLoad, p: int) -> Json:
    measured, hottest = found.times, int(found.times.hottest[p])
    return {
        "name": encodable(found.phases[p]),
        "bytes": _number(found.incast.sent[p].sum()),
        "time": _rounded(measured.time[p]),
        "perfect_time": _rounded(measured.perfect[p]),
        "host_bound": _rounded(measured.host_bound[p]),
        "slowdown": _rounded(measured.slowdowns[p]),
        "hottest": link_json(found.fabric, hottest) if hottest >= 0 else None,
    }


def _phase_samples(chance: Chance | None, p: int) -> Json:
    if chance is None:
        return {}
    return {"quantiles": {f"{q:.0%}": _rounded(slow) for q, slow in zip(LINK_QUANTILES, chance.phases[:, p], strict=True)}}


def _distribution(report: LoadReport) -> Json:
    """What is known of the slowdown where it depends on chance."""
    found, out = report.found, dict[str, Any]()
    if found.tried.ports:
        out["free_flows"], out["ports_tried"] = found.tried.flows, found.tried.ports
    if (chance := report.chance) is not None:
        out |= {"samples": len(chance.slowdown), "seed": chance.seed}
        out["slowdown"] = {name: _rounded(chance.quantile(q)) for name, q in QUANTILES.items()}
        out["slowdown_of_mean_loads"] = _rounded(report.measured.mean.times.slowdown)
    if found.worst is not None:
        out["worst_slowdown"] = _rounded(found.worst_slowdown or 0.0)
        by_solver = "bound" if found.worst.time is None else "solver"
        out["worst_method"] = "enumeration" if found.worst.exact else by_solver
    return out


def _links(found: JobLoad, chance: Chance | None) -> list[Json]:
    """Every link, the hottest first; ``by_phase`` where there are several phases."""
    total, perfect = found.load.bytes.sum(axis=0), found.perfect.sum(axis=0)
    several = len(found.phases) > 1
    out = []
    for l in np.argsort(-total / found.speeds.rate, kind="stable").tolist():
        row = {**link_json(found.fabric, l), "bytes": _number(total[l]), "perfect_bytes": _number(perfect[l])}
        if several and total[l]:
            row["by_phase"] = [_number(bytes) for bytes in found.load.bytes[:, l].tolist()]
        if chance is not None:
            row["median_sample_bytes"] = _number(chance.bytes[:, l].sum())
            row["quantiles"] = {f"{q:.0%}": _number(bytes) for q, bytes in zip(LINK_QUANTILES, chance.links[:, l], strict=True)}
        if found.worst is not None:
            row["worst_bytes"] = _number(found.worst.bytes[:, l].sum())
        out.append(row)
    return out


def _incast(found: JobLoad) -> list[Json]:
    """Every receiver that several hosts send to, phase by phase."""
    overload = found.incast.overload(found.fabric, found.speeds.rate)
    phase, host = np.nonzero(found.incast.senders > 1)
    return [
        {
            "phase": encodable(found.phases[p]),
            "host": encodable(found.fabric.host(h).name),
            "port": encodable(found.fabric.port_name(found.fabric.host(h).node, found.fabric.host(h).port)),
            "senders": int(found.incast.senders[p, h]),
            "bytes": _number(found.incast.received[p, h]),
            "overload": _rounded(overload[p, h]),
        }
        for p, h in zip(phase.tolist(), host.tolist(), strict=True)
    ]


def _why(found: JobLoad, phase: int, why: Why) -> Json:
    return {
        **link_json(found.fabric, why.link),
        "phase": encodable(found.phases[phase]),
        "bytes": _number(why.bytes),
        "senders": why.senders,
        "receivers": why.receivers,
        "all_flows_looked_at": why.whole,
        "siblings": [_number(bytes) for bytes in why.siblings],
        "flows": [_carried(found.fabric, carried) for carried in why.heaviest],
    }


def _carried(fabric: Fabric, carried: Carried) -> Json:
    decisions: list[Any] = []
    for one in carried.decisions:
        decisions.append({**link_json(fabric, one.link), "members": one.members, **place_json(one.place)})
    source, destination = (encodable(fabric.host(h).name) for h in (carried.src, carried.dst))
    return {"source": source, "destination": destination, "bytes": _number(carried.bytes), "decisions": decisions}


def _findings(findings: Sequence[Finding]) -> list[Json]:
    return [finding_json(finding) for finding in sorted(findings, key=by_severity)]


def _number(amount: float) -> int | float:
    """A whole number as one; else with twelve digits, so that the order of additions does not show."""
    whole = round(float(amount))
    return whole if abs(amount - whole) <= 1e-9 * abs(whole) else _rounded(amount)


def _rounded(amount: float) -> float:
    return float(f"{float(amount):.12g}")
