import json
from dataclasses import replace
from pathlib import Path
from random import Random

import jsonschema
import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauseproof
from certificate_damage import places
from hashed_fabrics import every_header_followed
from pauseproof.deadlock.analysis import analyse
from pauseproof.deadlock.check import Refused, check
from pauseproof.deadlock.hash_assumptions import BY_RULE, hash_assumptions
from pauseproof.deadlock.realize import Decided
from pauseproof.deadlock.realize_loops import Realized
from pauseproof.deadlock.realize_network import graph_of, realized
from pauseproof.findings.report import Verdict
from pauseproof.findings.verdict import certificate_of, judge_realized
from pauseproof.hashing.setting import Setting
from pauseproof.hashing.statements import PORT_NUMBERS
from pauseproof.reports.json import render_json
from pauseproof.routing.ask import Question, ask
from pauseproof.routing.network import Network

TOPOLOGIES = Path(__file__).parents[2] / "topologies"


def realize_all(network: Network) -> Realized:
    asked = ask(network, Question())
    return realized(network, asked, analyse(asked.network, asked.traffic), None)


@st.composite
def hashed_clos(draw: st.DrawFn) -> str:
    """A Clos of three or four leaves with cables out, hashed by few functions so that tiers are often polarized."""
    random = Random(draw(st.integers(0, 9999)))
    leaves, spines = random.choice(((4, 4), (4, 3), (3, 3), (5, 4)))
    cables = random.choice((1, 1, 2))
    out = {(random.randrange(leaves), random.randrange(spines)) for _ in range(random.randint(3, 6))}
    settings_of = [
        f"{{algorithm: {random.choice(('crc16', 'crc16', 'ccitt', 'xor16'))}, seed: {random.choice((0, 10, 25))}, "
        f"offset: {random.choice((0, 0, 10))}, fields: [{random.choice(('', 'src-ip, '))}dst-ip, l4-src-port], "
        f"buckets: {random.choice((0, 0, 0, 5))}}}".replace(", buckets: 0", "")
        for _ in range(2)
    ]
    without = ", ".join(f"[leaf{a}, spine{b}]" for a, b in sorted(out))
    return (
        f"leaf-spine: {{leaves: {leaves}, spines: {spines}, cables: {cables}}}\nwithout: [{without}]\nrouting: ecmp\n"
        f"hashing: {{tiers: {{0: {settings_of[0]}, 1: {settings_of[1]}}}}}\n"
    )


@settings(deadline=None, max_examples=25)
@given(hashed_clos())
def test_on_a_clos_routable_is_what_some_source_port_carries(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("clos") / "clos.yaml"
    path.write_text(text)
    network = pauseproof.load(path)
    asked = ask(network, Question())
    analysis = analyse(asked.network, asked.traffic)
    if not analysis.stuck:
        return
    found, carried = realize_all(network), every_header_followed(network)
    for ((a, _), (b, _)), one in found.decided.items():
        assert one.routable is ((a, b) in carried), (a, b)
    graph = graph_of(analysis)
    ends = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    edges = [(graph.link_lane(a)[0], graph.link_lane(b)[0]) for a, b in ends]
    left = nx.DiGraph(e for e in edges if e in carried)
    sizes = sorted(len(c) for c in nx.strongly_connected_components(left) if len(c) > 1 or left.has_edge(*[*c] * 2))
    assert sorted(map(len, found.components)) == sizes
    judged = judge_realized(network, Question(), 60.0)
    assert judged.verdict is (Verdict.DEADLOCK_POSSIBLE if sizes else Verdict.DEADLOCK_FREE)
    assert check(certificate_of(judged), network) == judged.verdict.value
    for loop in found.loops:
        assert loop.routable
        assert sum(carrier.carries for carrier in loop.carriers) >= len(loop.loop.buffers)
        for decided in loop.decided:
            assert decided.flow is not None


def test_polarized_tiers_close_no_loop_and_an_offset_closes_it() -> None:
    free = pauseproof.verify(pauseproof.load(TOPOLOGIES / "polarized.yaml"), realize=True).fabrics[0]
    assert (free.verdict, free.cyclic_components) == (Verdict.DEADLOCK_FREE, ())
    assert free.reason.startswith("under these hash settings")
    gone = [finding for finding in free.findings if finding.slug == "loop-not-realizable"]
    assert len(gone) == 2
    assert all(" port " in one.message and ", priority 0 waits for " in one.message for one in gone)
    assert all(False in [fact.routable for fact in finding.carries.dependencies] for finding in gone if finding.carries)
    loops = pauseproof.verify(pauseproof.load(TOPOLOGIES / "polarized-offset.yaml"), realize=True).fabrics[0]
    assert loops.verdict is Verdict.DEADLOCK_POSSIBLE
    assert "routable" in [fact.kind for fact in loops.evidence]


def test_two_flows_carry_the_loop_of_four_switches() -> None:
    network = pauseproof.load(TOPOLOGIES / "hotnets-four-switches.yaml")
    (loop,) = realize_all(network).loops
    assert (len(loop.loop.buffers), len(loop.carriers), loop.fewest) == (4, 2, True)


def test_what_pinned_routes_close_is_routable() -> None:
    network = pauseproof.load(TOPOLOGIES / "opensm" / "ring5_minhop")
    found = realize_all(network)
    assert [loop.routable for loop in found.loops] == [True, True]
    assert all(carrier.flow.header is None for loop in found.loops for carrier in loop.carriers)


def test_settings_that_are_not_known_leave_the_loop_as_it_is() -> None:
    report = pauseproof.verify(pauseproof.load(TOPOLOGIES / "clos4x2-two-failures.yaml"), realize=True).fabrics[0]
    assert report.verdict is Verdict.DEADLOCK_POSSIBLE
    assert "not decided" in report.reason


def test_what_differs_from_link_to_link_rules_nothing_out(tmp_path: Path) -> None:
    """A packet may have another VLAN at the spine than at the leaf; a chip's number of a port is in no dump."""
    text = (TOPOLOGIES / "polarized.yaml").read_text().replace("l4-dst-port]", "l4-dst-port, vlan]")
    (tmp_path / "vlan.yaml").write_text(text)
    assert not realize_all(pauseproof.load(tmp_path / "vlan.yaml")).deleted
    assert Setting(algorithm="crc16", fields=("src-ip",), seed=0).on_every_way() is not None
    assert Setting(algorithm="crc16", fields=("src-ip",), seed=0, hidden=("IN_PORT",)).on_every_way() is None


def test_what_was_made_up_is_an_assumption(tmp_path: Path) -> None:
    text = (TOPOLOGIES / "polarized.yaml").read_text()
    (tmp_path / "ruled.yaml").write_text(text.replace("l4-dst-port]", "l4-dst-port, in-port]"))
    ruled = pauseproof.verify(pauseproof.load(tmp_path / "ruled.yaml"), realize=True).fabrics[0].assumptions
    assert BY_RULE.format(4) in ruled and any(one.startswith(PORT_NUMBERS) for one in ruled)
    (tmp_path / "given.yaml").write_text(text + "addresses: {h1: 10.0.0.1, h2: 10.0.0.2, h3: 10.0.0.3, h4: 10.0.0.4}\n")
    given = pauseproof.verify(pauseproof.load(tmp_path / "given.yaml"), realize=True).fabrics[0].assumptions
    assert not any("rule for topology files" in one for one in given)


def test_rows_that_were_not_read_leave_it_undecided(tmp_path: Path) -> None:
    text = (TOPOLOGIES / "polarized.yaml").read_text().partition("expected:")[0]
    (tmp_path / "unread.yaml").write_text(text + "tables: [{switch: spine1, destination: h2, kind: unknown}]\n")
    report = pauseproof.verify(pauseproof.load(tmp_path / "unread.yaml"), realize=True).fabrics[0]
    assert report.verdict is Verdict.UNDECIDED
    gone = [finding for finding in report.findings if finding.slug == "loop-not-realizable"]
    assert gone and all(finding.message.startswith("by what was read, ") for finding in gone)
    assert not any(fact.routable is False for finding in gone if finding.carries for fact in finding.carries.dependencies)


def test_an_ipv4_packet_has_no_flow_label(tmp_path: Path) -> None:
    """Neither for what finds proofs nor for what checks them."""
    text = (TOPOLOGIES / "polarized.yaml").read_text().partition("expected:")[0]
    text = text.replace(
        "fields: [src-ip, dst-ip, proto, l4-src-port, l4-dst-port]", "fields: [l4-src-port, flow-label]\n  buckets: 5"
    )
    (tmp_path / "label.yaml").write_text(text.replace("  seed: 0\n", "  seed: 0\n  source-port: 49152\n"))
    network = pauseproof.load(tmp_path / "label.yaml")
    judged = judge_realized(network, Question(), 60.0)
    assert judged.verdict is Verdict.DEADLOCK_FREE
    assert check(certificate_of(judged), network) == "DEADLOCK_FREE"


def test_no_time_decides_nothing() -> None:
    judged = judge_realized(pauseproof.load(TOPOLOGIES / "polarized.yaml"), Question(), 0.0)
    assert judged.verdict is Verdict.DEADLOCK_POSSIBLE


def test_a_fixed_source_port_leaves_fewer_packets(tmp_path: Path) -> None:
    text = (TOPOLOGIES / "polarized-offset.yaml").read_text().replace("  seed: 0\n", "  seed: 0\n  source-port: 49152\n")
    (tmp_path / "fixed.yaml").write_text(text)
    network = pauseproof.load(tmp_path / "fixed.yaml")
    assert len(realize_all(network).deleted) > len(realize_all(pauseproof.load(TOPOLOGIES / "polarized-offset.yaml")).deleted)


def test_a_proof_that_is_changed_is_refused() -> None:
    network = pauseproof.load(TOPOLOGIES / "polarized.yaml")
    certificate = certificate_of(judge_realized(network, Question(), 60.0))
    assert check(certificate, network) == "DEADLOCK_FREE"
    refused = 0
    for seed in range(150):
        changed = _damaged(certificate, Random(seed))
        if changed["unroutable"] != certificate["unroutable"]:
            try:
                check(changed, network)
            except Refused:
                refused += 1
            else:
                assert _still_true(certificate["unroutable"], changed["unroutable"]), seed
    assert refused > 80


def test_proofs_do_not_hold_under_other_settings() -> None:
    network, other = (pauseproof.load(TOPOLOGIES / f"{name}.yaml") for name in ("polarized", "polarized-offset"))
    certificate = certificate_of(judge_realized(network, Question(), 60.0))
    digests = [{"path": one.path, "sha256": one.sha256} for one in other.inputs]
    told = [*ask(other, Question()).assumptions, *hash_assumptions(other)]
    with pytest.raises(Refused, match="does not"):
        check({**certificate, "inputs": digests, "assumptions": told}, other)


def test_what_is_routable_cannot_be_left_out() -> None:
    network = pauseproof.load(TOPOLOGIES / "polarized-offset.yaml")
    found, judged = realize_all(network), judge_realized(network, Question(), 60.0)
    assert judged.realized is not None
    whole = {e: Decided(False, refutations=one.refutations) for e, one in found.decided.items()}
    forged = judged._replace(verdict=Verdict.DEADLOCK_FREE, realized=replace(judged.realized, deleted=whole))
    with pytest.raises(Refused, match="no reason"):
        check(certificate_of(forged), network)


def _damaged(certificate: dict[str, object], random: Random) -> dict[str, object]:
    import copy

    data = copy.deepcopy(certificate)
    every = list(places(data["unroutable"]))
    (holder, key), (other, from_key) = random.choice(every), random.choice(every)
    if random.random() < 0.5:
        holder[key] = copy.deepcopy(other[from_key])
    else:
        del holder[key]
    return data


def _still_true(before: object, after: object) -> bool:
    """Reasons that are there twice, another kind of proof that holds as well, or a reason more: nothing was lost."""
    return len(str(after)) > 0 and isinstance(before, list) and isinstance(after, list) and len(after) == len(before)


@pytest.mark.parametrize("name", ["polarized", "polarized-offset", "clos4x2-two-failures", "hotnets-four-switches"])
def test_reports_with_flows_follow_the_schema(name: str) -> None:
    schema = json.loads((TOPOLOGIES.parent / "docs" / "schema" / "report.schema.json").read_text())
    document = json.loads(render_json(pauseproof.verify(pauseproof.load(TOPOLOGIES / f"{name}.yaml"), realize=True)))
    jsonschema.validate(document, schema)
    loops = [finding for finding in document["fabrics"][0]["findings"] if "dependencies" in finding]
    assert loops
    for finding in loops:
        assert len(finding["dependencies"]) == len(finding["loop"])
        for fact in finding["dependencies"]:
            assert fact["buffer"] in [hop["buffer"] for hop in finding["loop"]]
            assert ("flow" in fact) is (fact["routable"] is True)
            if fact["routable"]:
                assert 49152 <= fact["flow"]["src_port"] <= 65535
