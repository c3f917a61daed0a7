"""SONiC's words for hash settings, and the defaults that its switches come up with.

``switch.json.j2`` writes SWITCH_TABLE from DEVICE_METADATA: seeds and offsets by the type of the switch. Types are tried in the
order of TYPES by containing a word; since SpineRouter is tried before FabricSpineRouter and UpperSpineRouter, those two get its
seed, and the seeds meant for them are never given.

Sources: dockers/docker-orchagent/switch.json.j2 and sonic-hash.yang of sonic-buildimage; orchagent/switch of sonic-swss.
"""

from typing import NamedTuple

from pauseproof.routing.hash_facts import SwitchFacts

FIELDS = {
    "SRC_IP": "src-ip",
    "DST_IP": "dst-ip",
    "IP_PROTOCOL": "proto",
    "L4_SRC_PORT": "l4-src-port",
    "L4_DST_PORT": "l4-dst-port",
    "RDMA_BTH_DEST_QP": "dest-qp",
    "RDMA_BTH_OPCODE": "bth-opcode",
    "VLAN_ID": "vlan",
    "IPV6_FLOW_LABEL": "flow-label",
}
HIDDEN = ("IN_PORT", "DST_MAC", "SRC_MAC")  # the chip's own number of a port, and addresses of routers, are in no dump
LEFT_OUT = (
    *("ETHERTYPE", "INNER_DST_MAC", "INNER_SRC_MAC", "INNER_ETHERTYPE"),
    *("INNER_IP_PROTOCOL", "INNER_DST_IP", "INNER_SRC_IP", "INNER_L4_DST_PORT", "INNER_L4_SRC_PORT"),
)
TOR_TYPES = ("EPMS", "MgmtTsToR")
TYPES = (
    ("ToRRouter", 0),
    ("LeafRouter", 10),
    ("SpineRouter", 25),
    ("FabricSpineRouter", 40),  # never reached, and so is the next
    ("UpperSpineRouter", 50),
    ("LowerRegionalHub", 60),
    ("FabricRegionalHub", 70),
    ("UpperRegionalHub", 80),
)
LEAF = "LeafRouter"
LEAF_OFFSET = 10
SHADOWED = ("FabricSpineRouter", "UpperSpineRouter")


class FieldNames(NamedTuple):
    """Hash fields by our names in our order; of SONiC's those with hidden values, those left out, and words that are none."""

    fields: tuple[str, ...]
    hidden: tuple[str, ...]
    left_out: tuple[str, ...]
    strange: tuple[str, ...]


def field_names(text: str) -> FieldNames:
    """What a list of fields says.

    >>> field_names("L4_SRC_PORT,SRC_IP,INNER_SRC_IP").fields
    ('src-ip', 'l4-src-port')
    """
    words = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    fields = tuple(ours for theirs, ours in FIELDS.items() if theirs in words)
    hidden, left_out = (tuple(word for word in words if word in some) for some in (HIDDEN, LEFT_OUT))
    return FieldNames(fields, hidden, left_out, tuple(w for w in words if w not in (*FIELDS, *HIDDEN, *LEFT_OUT)))


def rdma_key(which: str, family: int) -> tuple[str, ...]:
    """The fields of SWITCH_HASH that may list what RoCE packets of a family are hashed by, the most special first."""
    own = tuple(f"{which}_hash{mark}ipv{family}{more}" for more in ("_rdma", "") for mark in ("_", "@"))
    return (*own, f"{which}_hash")


def matched_type(text: str) -> tuple[str, int]:
    """The word of TYPES that a type contains, and its seed; no word where it contains none.

    >>> matched_type("FabricSpineRouter")
    ('SpineRouter', 25)
    """
    if text in TOR_TYPES:
        return TYPES[0]
    return next(((word, seed) for word, seed in TYPES if word in text), ("", 0))


def default_seed(facts: SwitchFacts) -> tuple[int, str]:
    """The seed that a switch comes up with, and why."""
    if _text(facts, "switch_type") == "dpu":
        return 0, "the default of SAI: SONiC gives a dpu none"
    own, namespace = _text(facts, "ecmp_hash_seed"), _number(_text(facts, "namespace_id"))
    seed, why = (_number(own), "by ecmp_hash_seed of DEVICE_METADATA") if own else (_matched(facts)[1], _by_type(facts))
    return seed + namespace, f"{why}, plus the namespace" if namespace else why


def default_offset(facts: SwitchFacts) -> tuple[int, str]:
    """The offset that a switch comes up with, and why."""
    if (kind := _text(facts, "switch_type")) in ("dpu", "chassis-packet"):
        return 0, f"the default of SAI: SONiC gives a {kind} none"
    leaf = _matched(facts)[0] == LEAF and not _text(facts, "ecmp_hash_seed")
    return LEAF_OFFSET if leaf else 0, _by_type(facts)


def _by_type(facts: SwitchFacts) -> str:
    text, word = _text(facts, "type"), _matched(facts)[0]
    if not text:
        return "SONiC's default where no type is given"
    return f"SONiC's default for type {text}" + (f", which it takes for a {word}" if text in SHADOWED else "")


def _matched(facts: SwitchFacts) -> tuple[str, int]:
    return matched_type(_text(facts, "type"))


def _text(facts: SwitchFacts, name: str) -> str:
    said = facts.read.get(f"DEVICE_METADATA.{name}")
    return "" if said is None else said.text


def _number(text: str) -> int:
    """As Jinja's filter ``int`` reads it: 0 where it is no number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 11 else 0
