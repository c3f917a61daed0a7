import json
from dataclasses import replace

import jsonschema
import pytest

from pauseproof.findings.report import Severity, Verdict
from pauseproof.reports.json import render_json
from sample_reports import fabric_report, finding, loop_finding, report, ring_report
from schemas import validate


def test_the_top_of_a_report() -> None:
    document = json.loads(render_json(ring_report()))
    assert list(document) == ["schema_version", "tool", "inputs", "fabrics"]
    assert document["schema_version"] == 1
    assert document["tool"]["name"] == "pauseproof"
    assert document["inputs"][1] == {"path": "ring5/opensm.fdbs", "sha256": "0" * 64, "format": "opensm.fdbs"}


def test_a_fabric_and_its_loop() -> None:
    fabric = json.loads(render_json(ring_report()))["fabrics"][0]
    assert (fabric["name"], fabric["kind"], fabric["verdict"]) == ("ring5", "infiniband", "DEADLOCK_POSSIBLE")
    assert fabric["cyclic_components"] == [5, 5]
    assert fabric["coverage"]["buffers"] == 30
    loop = fabric["findings"][0]
    assert (loop["rule"], loop["slug"], loop["severity"]) == ("PP101", "cyclic-buffer-dependency", "error")
    assert loop["where"] == [{"file": "opensm.fdbs", "line": 12}]
    assert loop["loop"][0]["buffer"] == "0x0000000000200001/2/0"
    assert loop["loop"][0]["because"] == {
        "source": "H0x0",
        "destination": "H2x1",
        "label": "0",
        "switch": "S1",
        "file": "opensm.fdbs",
        "line": 12,
    }


@pytest.mark.parametrize("verdict", list(Verdict))
def test_reports_follow_the_schema(verdict: Verdict) -> None:
    one = report(fabric_report(verdict, loop_finding(), finding("PP210", "lid-without-owner", Severity.INFO)))
    validate(json.loads(render_json(one)), "report")


def test_the_schema_refuses_what_is_no_report() -> None:
    document = json.loads(render_json(ring_report()))
    document["fabrics"][0]["verdict"] = "SAFE"
    with pytest.raises(jsonschema.ValidationError):
        validate(document, "report")


def test_order_of_discovery_does_not_show() -> None:
    a, b = finding("PP203", "black-hole", Severity.WARNING, "a"), finding("PP203", "black-hole", Severity.WARNING, "b")
    one, two = fabric_report(Verdict.DEADLOCK_FREE, a, b), fabric_report(Verdict.DEADLOCK_FREE, b, a, name="other")
    forward = report(one, two)
    backward = replace(
        report(two, replace(one, findings=(b, a), coverage=dict(reversed(one.coverage.items())))),
        inputs=tuple(reversed(forward.inputs)),
    )
    assert render_json(forward) == render_json(backward)


def test_a_name_that_is_no_text_still_gives_json_that_others_read() -> None:
    one = report(fabric_report(Verdict.DEADLOCK_FREE, finding("PP203", "black-hole", Severity.INFO, "\udc80\x1b[31m")))
    text = render_json(one)
    assert text.isascii() and "\x1b" not in text
    assert json.loads(text)["fabrics"][0]["findings"][0]["identity"] == "\\udc80\x1b[31m"
