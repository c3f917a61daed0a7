"""From statements to settings: which source counts, what is unknown, and what is taken by default."""

import json

import pytest

from pauseproof.fabric.places import Place
from pauseproof.hashing.algorithms import ALGORITHMS as MODELLED
from pauseproof.hashing.headers import FIELDS
from pauseproof.hashing.setting import Setting, our_name
from pauseproof.hashing.sonic import TYPES, matched_type
from pauseproof.hashing.statements import MOST_OFFSET, MOST_SEED, setting_of
from pauseproof.readers import hash_lines
from pauseproof.readers.config_db import read
from pauseproof.readers.hash_lines import DecisionLine, HashLine
from pauseproof.readers.roce_records import ConfigDb
from pauseproof.routing.hash_facts import HashFacts, Said, SwitchFacts, facts_read
from shared_cases import shared_case
from texts import source_of

TYPE, SEED = "DEVICE_METADATA.type", "SWITCH_TABLE.ecmp_hash_seed"
POLICY, KERNEL_SEED = "net.ipv4.fib_multipath_hash_policy", "net.ipv4.fib_multipath_hash_seed"


def line(**values: hash_lines.Value) -> HashLine:
    decision = DecisionLine(values, {key: Place("pauseproof.yaml", 1) for key in values})
    return HashLine(decision, decision)


def setting(
    read_: dict[str, str] | None = None,
    *declared: HashLine,
    every: HashLine = hash_lines.SILENT,
    lag: bool = False,
    family: int = 4,
) -> Setting:
    said = {name: Said(text, Place("config_db.json", i)) for i, (name, text) in enumerate((read_ or {}).items(), start=1)}
    facts = HashFacts((SwitchFacts(said, declared),), every)
    return setting_of(facts, 0, "lag" if lag else "ecmp", family)


def test_names_are_the_same_as_those_of_the_functions() -> None:
    assert set(hash_lines.MODELLED) == set(MODELLED)
    assert hash_lines.FIELDS == FIELDS
    assert all(our_name(name) for name in hash_lines.ALGORITHMS if name not in ("random", "round-robin"))
    assert (hash_lines.MOST_SEED, hash_lines.MOST_OFFSET) == (MOST_SEED, MOST_OFFSET)


def test_what_nothing_tells_is_unknown() -> None:
    found = setting()
    assert found.unknown == ("algorithm: nothing tells it",)
    assert found.function() is None and found.words == "not known" and not found.linear
    assert setting_of(HashFacts(), 3, "ecmp") == found


def test_a_real_configuration() -> None:
    sample = json.loads(shared_case("sonic/sample_config_db.json").read_text())["SAMPLE_CONFIG_DB_JSON"]
    text = json.dumps({name: sample[name] for name in ("DEVICE_METADATA", "SWITCH_HASH")}, indent=1)
    configs = [one for one in read(source_of(text, "config_db.json")) if isinstance(one, ConfigDb)]
    ((_, said),) = facts_read(configs, []).items()
    facts = HashFacts((SwitchFacts(said),))
    ecmp, lag = setting_of(facts, 0, "ecmp"), setting_of(facts, 0, "lag")
    five = "src-ip, dst-ip, proto, l4-src-port, l4-dst-port"
    assert ecmp.words == f"crc16 of {five}; seed 0" and lag.words == f"xor16 of {five}; seed 0"
    assert ecmp.defaults == (
        "seed 0, SONiC's default for type ToRRouter",
        "offset 0, SONiC's default for type ToRRouter",
    )
    where = text[: text.index('"GLOBAL"')].count("\n") + 1
    assert ecmp.places["algorithm"] == ecmp.places["fields"] == Place("config_db.json", where)
    assert ecmp.remarks[-1].startswith("left out: INNER_DST_IP, INNER_SRC_IP") and ecmp.linear and not ecmp.unknown


@pytest.mark.parametrize(
    ("kind", "seed", "offset"),
    [
        *[("ToRRouter", 0, 0), ("EPMS", 0, 0), ("MgmtTsToR", 0, 0), ("MgmtToRRouter", 0, 0), ("", 0, 0), ("Strange", 0, 0)],
        *[("LeafRouter", 10, 10), ("BackEndLeafRouter", 10, 10), ("SpineRouter", 25, 0)],
        *[("FabricSpineRouter", 25, 0), ("UpperSpineRouter", 25, 0), ("LowerSpineRouter", 25, 0)],
        *[("LowerRegionalHub", 60, 0), ("FabricRegionalHub", 70, 0), ("UpperRegionalHub", 80, 0)],
    ],
)
def test_defaults_by_type_have_the_branches_that_are_never_reached(kind: str, seed: int, offset: int) -> None:
    found = setting({TYPE: kind})
    assert (found.algorithm, found.seed, found.offset) == ("crc16", seed, offset)
    assert len(found.defaults) == 4 and found.places == {}
    assert found == setting({TYPE: kind}, lag=True)


def test_every_line_of_the_template_is_known_and_two_are_never_reached() -> None:
    assert [word for word, seed in TYPES if matched_type(word) != (word, seed)] == ["FabricSpineRouter", "UpperSpineRouter"]
    assert "which it takes for a SpineRouter" in setting({TYPE: "UpperSpineRouter"}).defaults[2]


def test_what_the_template_makes_of_the_rest_of_the_metadata() -> None:
    leaf = {TYPE: "LeafRouter"}
    assert (found := setting({**leaf, "DEVICE_METADATA.namespace_id": "2"})).seed == 12 and found.offset == 10
    assert (found := setting({**leaf, "DEVICE_METADATA.ecmp_hash_seed": "0"})).seed == 0 and found.offset == 0
    assert (found := setting({**leaf, "DEVICE_METADATA.switch_type": "chassis-packet"})).seed == 10 and found.offset == 0
    assert (found := setting({**leaf, "DEVICE_METADATA.switch_type": "dpu"})).seed == 0 and found.offset == 0


def test_a_type_can_be_declared() -> None:
    leaf, tor = line(**{"sonic-type": "LeafRouter"}), line(**{"sonic-type": "ToRRouter"})
    assert (found := setting(None, leaf)).seed == 10 and found.offset == 10 and found.algorithm == "crc16"
    assert setting({TYPE: "SpineRouter"}, leaf).offset == 10 and setting({TYPE: "SpineRouter"}, every=leaf).seed == 25
    assert setting(None, every=leaf).seed == 10 and setting(None, tor, every=leaf).seed == 0
    assert setting(None, leaf, lag=True).offset == 10 and setting({TYPE: "SpineRouter", SEED: "3"}, leaf).seed == 3


def test_which_source_counts() -> None:
    read_ = {TYPE: "LeafRouter", SEED: "7"}
    assert setting({TYPE: "LeafRouter"}).seed == 10
    assert setting({TYPE: "LeafRouter"}, every=line(seed=3)).seed == 3
    assert setting(read_, every=line(seed=3)).seed == 7
    assert setting(read_, line(seed=5), line(seed=6), every=line(seed=3)).seed == 5
    assert setting(read_, line(offset=2)).seed == 7
    assert setting(read_, lag=True).seed == 10  # SWITCH_TABLE has another field for bundles
    assert setting({TYPE: "ToRRouter"}, every=line(algorithm="ccitt")).algorithm == "ccitt"
    assert setting(read_).places["seed"] == Place("config_db.json", 2)


def test_fields_by_family_and_for_rdma() -> None:
    said = {
        "SWITCH_HASH.ecmp_hash": "SRC_IP",
        "SWITCH_HASH.ecmp_hash_ipv4": "DST_IP",
        "SWITCH_HASH.ecmp_hash@ipv6_rdma": "RDMA_BTH_DEST_QP,RDMA_BTH_OPCODE",
    }
    assert setting(said).fields == ("dst-ip",)
    assert setting(said, family=6).fields == ("dest-qp", "bth-opcode")
    assert setting(said, lag=True).fields == ("src-ip", "dst-ip", "proto", "l4-src-port", "l4-dst-port")
    assert setting({"SWITCH_HASH.ecmp_hash": "INNER_IP_PROTOCOL"}).fields == ()


@pytest.mark.parametrize(
    ("read_", "unknown"),
    [
        ({"SWITCH_HASH.ecmp_hash_algorithm": "MD5"}, "algorithm: 'MD5' is none of SAI's (config_db.json:1)"),
        ({"SWITCH_HASH.ecmp_hash": "SRC_IP,COLOUR"}, "fields: 'COLOUR' are none of SONiC's (config_db.json:1)"),
        ({SEED: "4294967296"}, "seed: '4294967296' is beyond 0 to 4294967295 (config_db.json:1)"),
        ({SEED: "\u0661\u0660"}, "seed: '\u0661\u0660' is beyond 0 to 4294967295 (config_db.json:1)"),
        ({SEED: "ten"}, "seed: 'ten' is beyond 0 to 4294967295 (config_db.json:1)"),
        ({"SWITCH_TABLE.ecmp_hash_offset": "16"}, "offset: '16' is beyond 0 to 15 (config_db.json:1)"),
    ],
)
def test_what_is_not_understood_is_unknown_whatever_holds_for_every_switch(read_: dict[str, str], unknown: str) -> None:
    everything = line(algorithm="crc", fields=("src-ip",), seed=1, offset=1)
    for every in (hash_lines.SILENT, everything):
        found = setting(read_, every=every)
        assert found.unknown == (unknown,) and found.function() is None
    assert setting(read_, everything).unknown in ((), (unknown,))
    assert setting(read_, everything).function() is not None or "fields" in unknown


def test_fields_with_hidden_values_leave_packets_unknown_and_the_function_known() -> None:
    found = setting({"SWITCH_HASH.ecmp_hash": "SRC_MAC,SRC_IP,IN_PORT,DST_MAC,ETHERTYPE"})
    assert found.fields == ("src-ip",) and found.hidden == ("SRC_MAC", "IN_PORT", "DST_MAC")
    assert found.linear and not found.unknown and found.words.startswith("crc16 of src-ip, SRC_MAC, IN_PORT, DST_MAC;")
    assert found.open == ("fields: SRC_MAC, IN_PORT, DST_MAC are hashed too, and their values are not known",)
    assert setting({"SWITCH_HASH.ecmp_hash": "SRC_MAC"}, line(mode="spray")).open == ()


def test_sai_none_and_packet_by_packet() -> None:
    none = setting({"SWITCH_HASH.ecmp_hash_algorithm": "NONE"})
    assert none.unknown and none.unknown[0].startswith("algorithm: NONE: ")
    for name in ("RANDOM", "ROUND_ROBIN"):
        found = setting({"SWITCH_HASH.ecmp_hash_algorithm": name})
        assert found.kind == "spray" and found.function() is None and not found.unknown
    assert [setting(None, line(mode=mode)).kind for mode in ("spray", "flowlet", "dlb")] == ["spray", "flowlet", "dlb"]
    assert setting({"SWITCH_HASH.ecmp_hash_algorithm": "CRC"}, line(mode="dlb")).kind == "dlb"


def test_two_files_that_contradict_each_other() -> None:
    said = {SEED: Said("1", Place("a", 1), Place("b", 2)), TYPE: Said("LeafRouter", Place("a", 2))}
    found = setting_of(HashFacts((SwitchFacts(said),)), 0, "ecmp")
    assert found.unknown == ("seed: a:1 and b:2 contradict each other",) and found.seed is None


def test_linux() -> None:
    found = setting({POLICY: "1", KERNEL_SEED: "7"})
    function = found.function()
    assert function is not None and function.name == "linux-policy-1" and function.bits == 31
    assert found.words == "linux of src-ip, dst-ip, proto, l4-src-port, l4-dst-port; policy 1, seed 7"
    assert found.defaults == () and found.places["policy"].line == 1 and "no network card" in found.remarks[0]
    assert setting({POLICY: "1", KERNEL_SEED: "0"}).unknown == ("seed: the kernel's is random at boot unless it is set",)
    assert setting({POLICY: "1"}).function() is None and setting({KERNEL_SEED: "7"}).policy == 0
    custom = setting({POLICY: "3", KERNEL_SEED: "7", "net.ipv4.fib_multipath_hash_fields": "16"})
    assert custom.fields == ("l4-src-port",) and setting({POLICY: "3", KERNEL_SEED: "7"}).mask == 7
    six = setting({POLICY: "1", KERNEL_SEED: "7", POLICY.replace("4", "6"): "2"}, family=6)
    assert six.policy == 2 and six.seed == 7
    bond = setting({POLICY: "1", KERNEL_SEED: "7"}, lag=True)
    assert bond.unknown[0].startswith("algorithm: a Linux bond goes by its xmit_hash_policy")


def test_declared_linux() -> None:
    found = setting(None, line(algorithm="linux", policy=3, fields=("l4-src-port", "src-ip"), seed=9))
    assert found.mask == 0x11 and not found.unknown
    assert setting(None, line(algorithm="linux", policy=3, fields=("dest-qp",), seed=9)).unknown
    assert setting(None, line(algorithm="linux", seed=0)).unknown


def test_declared_for_a_switch_chip() -> None:
    found = setting(None, line(algorithm="crc16", fields=("src-ip",), symmetric=True, preprocess=True, offset=3))
    assert found.defaults == ("seed 0, the default of SAI",)
    assert found.words == "crc16 of src-ip; seed 0, offset 3, symmetric, preprocessed"
    assert not found.linear and found.function() is not None
    assert setting(None, line(buckets=64, algorithm="crc")).words.endswith("seed 0, 64 buckets")
    assert setting(None, line(algorithm="crc")).defaults[0] == "fields: the five-tuple, as most switches have it"


def test_how_members_are_picked() -> None:
    chip, kernel = setting(None, line(algorithm="crc16")), setting({POLICY: "1", KERNEL_SEED: "7"})
    assert chip.selection((1, 2)).table == (0, 1, 1) and kernel.selection((1, 2)).kind == "threshold"
    assert chip.selection((1, 2), 4).table == (0, 1, 0, 1)
    assert kernel.selection((1, 1), 4).kind == "buckets"
