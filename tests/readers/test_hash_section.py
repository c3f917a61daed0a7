import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pauseproof.fabric.places import BadInput
from pauseproof.hashing.statements import setting_of
from pauseproof.readers import declarations, native
from pauseproof.readers.hash_lines import ALGORITHMS, DECISION_KEYS, FIELDS, HASHING_KEYS, MODES, Hashing
from pauseproof.routing.hash_facts import HashFacts, SwitchFacts
from texts import refusal, source_of

RING = "ring: {switches: 4}\n"


def declared(text: str) -> Hashing:
    return declarations.read(source_of(f"hashing: {text}", "pauseproof.yaml")).hashing


def test_the_top_is_about_next_hops_and_lag_about_bundles() -> None:
    found = declared(
        "{algorithm: crc16, fields: [l4-src-port, src-ip], seed: 10, offset: 3, symmetric: true, preprocess: false,\n"
        " lag: {algorithm: xor, seed: 7}}"
    )
    assert found.every.ecmp.values == {
        **{"algorithm": "crc16", "fields": ("src-ip", "l4-src-port"), "seed": 10, "offset": 3},
        **{"symmetric": True, "preprocess": False},
    }
    assert found.every.lag.values == {"algorithm": "xor", "seed": 7}
    assert found.every.lag.places["seed"].line == 2
    assert found.sport == -1 and found.some == ()


def test_linux_spraying_and_the_source_port() -> None:
    assert declared("{algorithm: linux, policy: 1, seed: 4294967295}").every.ecmp.values["policy"] == 1
    found = declared("{mode: spray, source-port: 49152}")
    assert found.every.ecmp.values == {"mode": "spray"} and found.sport == 49152
    assert declared("{source-port: by-qp, buckets: 128}").sport == -1


def test_the_type_of_a_switch_is_about_both_decisions() -> None:
    found = declared("{sonic-type: LeafRouter, lag: {seed: 1}}").every
    assert found.ecmp.values == {"sonic-type": "LeafRouter"} and found.lag.values == {"seed": 1, "sonic-type": "LeafRouter"}


def test_rules_by_role_by_switch_and_by_tier() -> None:
    text = "roles: {spine: {match: spine*, hashing: {seed: 10, lag: {seed: 1}}}}"
    (role,) = declarations.read(source_of(text)).roles
    assert role.hashes_alone and role.hashing.ecmp.values == {"seed": 10} and role.hashing.lag.values == {"seed": 1}
    hashing = native.read(
        source_of(RING + "hashing: {tiers: {1: {offset: 3}}, switches: {s0: {seed: 1}, 's*': {seed: 2}}}")
    ).hashing
    assert hashing is not None
    told = [(rule.tier.text if rule.tier else rule.switches[0].text, rule.line.ecmp.values) for rule in hashing.some]
    assert told == [("1", {"offset": 3}), ("s0", {"seed": 1}), ("s*", {"seed": 2})]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{algoritm: crc}", "unknown key 'algoritm' in hashing; did you mean 'algorithm'?"),
        ("{algorithm: crc17}", "algorithm 'crc17' is not known; did you mean 'crc16'?"),
        ("{fields: []}", f"a hash over no fields sends everything one way; expected some of {', '.join(FIELDS)}"),
        ("{fields: [src-ip, src-ip]}", "a field is there twice"),
        ("{fields: [src-mac]}", "a field 'src-mac' is not known; did you mean 'src-ip'?"),
        ("{fields: src-ip}", "fields must be a list, found a single value"),
        ("{seed: 4294967296}", "seed must be a whole number from 0 to 4294967295, found '4294967296'"),
        ("{seed: -1}", "seed must be a whole number from 0 to 4294967295, found '-1'"),
        ("{offset: 16}", "offset must be a whole number from 0 to 15, found '16'"),
        ("{buckets: 0}", "buckets must be a whole number from 1 to 65535, found '0'"),
        ("{symmetric: yes}", "symmetric 'yes' is not known; expected one of false, true"),
        ("{policy: 1, algorithm: crc}", "'policy' is for the algorithm linux, not for crc"),
        ("{offset: 1, algorithm: linux}", "the algorithm linux has no 'offset'; it belongs to those of switch ASICs"),
        ("{mode: spray, algorithm: crc}", "mode spray has no 'algorithm': it does not hash; leave one of them out"),
        ("{mode: sprai}", "mode 'sprai' is not known; did you mean 'spray'?"),
        ("{lag: {lag: {}}}", f"unknown key 'lag' in lag of hashing; expected one of {', '.join(sorted(DECISION_KEYS))}"),
        (
            "{lag: {sonic-type: LeafRouter}}",
            f"unknown key 'sonic-type' in lag of hashing; expected one of {', '.join(sorted(DECISION_KEYS))}",
        ),
        ("{sonic-type: [a]}", "a type of SONiC's DEVICE_METADATA must be a single value, found a list"),
        ("{lag: {algorithm: linux}}", "linux hashes next hops; the cables of a bond go by its xmit_hash_policy"),
        ("{source-port: 65536}", "source-port must be a whole number from 0 to 65535, found '65536'"),
        ("{switches: [a]}", "switches of hashing must be a mapping, found a list"),
        ("[crc]", "hashing must be a mapping, found a list"),
    ],
)
def test_malformed_sections_are_refused_with_places(text: str, problem: str) -> None:
    said = refusal(declarations.read, f"ttl: 64\nhashing: {text}\n")
    assert [one.partition(":")[0] for one in said] == ["2"] * len(said)
    assert problem in [one.partition(": ")[2] for one in said]


@pytest.mark.parametrize("text", ["hashing: {tiers: {1: {seed: 1}}}", "roles: {a: {match: x, hashing: {sed: 1}}}"])
def test_other_places_of_the_section_are_checked_too(text: str) -> None:
    assert "unknown key" in refusal(declarations.read, text)[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hashing: {tiers: {a: {seed: 1}}}", "a tier must be a whole number from 0 to 65535, found 'a'"),
        ("hashing: {tiers: [0]}", "tiers of hashing must be a mapping, found a list"),
        ("addresses: {s0-h0: 10.0.0.256}", "'10.0.0.256' is no address or subnet; expected one as 10.0.0.1 or 10.0.0.0/24"),
        ("addresses: {s0-h0: 10.0.0.1/24}", "'10.0.0.1/24' is no address or subnet; expected one as 10.0.0.1 or 10.0.0.0/24"),
        ("addresses: [s0-h0]", "addresses must be a mapping from hosts, found a list"),
    ],
)
def test_malformed_sections_of_topologies_are_refused(text: str, problem: str) -> None:
    assert refusal(native.read, RING + text) == [f"2: {problem}"]


WORDS = st.one_of(
    st.sampled_from([*ALGORITHMS, *FIELDS, *MODES, "true", "false", "by-qp"]),
    st.integers(-1, 2**33),
    st.text(max_size=4),
    st.none(),
)
KEYS = st.sampled_from([*HASHING_KEYS, "switches", "tiers", "source-port", "0", "s0", "s*", "x"])
TREES = st.recursive(
    WORDS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)), max_leaves=12
)


@settings(deadline=None)
@given(st.dictionaries(KEYS, TREES, max_size=5))
def test_any_section_is_understood_or_refused_with_places(tree: dict[str, object]) -> None:
    text = f"hashing: {json.dumps(tree)}\n"
    for read, before in ((declarations.read, "ttl: 1\n"), (native.read, RING)):
        try:
            told = read(source_of(before + text)).hashing
        except BadInput as error:
            assert all(problem.place.line >= 2 for problem in error.problems)
            continue
        lines = [told.every, *(rule.line for rule in told.some)] if told is not None else []
        for line in lines:
            for which in ("ecmp", "lag"):
                found = setting_of(HashFacts((SwitchFacts(declared=(line,)),)), 0, "ecmp" if which == "ecmp" else "lag")
                assert (found.function() is None) == (found.kind != "hash" or bool(found.unknown))
