"""The declarations of an operator (``pauseproof.yaml``, beside the dumps): what no dump says, or says otherwise.

Parsed and checked key by key, every problem with its line and column. The format is told in docs/declarations.md;
docs/schema/declarations.schema.json says the same to editors.
"""

import ipaddress
import re
from collections.abc import Mapping as MappingOf
from typing import cast

from pauseproof.fabric.generators import GENERATORS
from pauseproof.fabric.places import BadInput
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.declared import (
    DIRECTIONS,
    Adaptive,
    Classes,
    Declarations,
    HostLine,
    IncompleteArp,
    Mode,
    RemapLine,
    RoleLine,
    TunnelLine,
)
from pauseproof.readers.forms import Form
from pauseproof.readers.hash_section import hash_line, hashing_of
from pauseproof.readers.native_lines import End, Word
from pauseproof.readers.source import Source
from pauseproof.readers.yaml_tree import Mapping, Node, Scalar, Sequence, read_tree

NAME = "declarations"
CLASS_KEYS = ("lossless", "dscp", "groups")
KEYS = (
    *CLASS_KEYS,
    *("traffic", "roles", "remaps", "hosts", "lags", "vlans", "tunnels", "assume", "ttl", "adaptive", "vrf", "hashing"),
)
MAX_DSCP, MAX_PRIORITY, MAX_TTL = 63, 7, 255
_OURS = re.compile(rb"^(" + b"|".join(key.encode() for key in KEYS if key != "adaptive") + rb")[ \t]*:", re.M)
_FAMILIES = b"|".join(re.escape(family.encode()) for family in GENERATORS)
_TOPOLOGY = re.compile(rb"^(switches|cables|topology|routing|" + _FAMILIES + rb")[ \t]*:", re.M)  # our own, containerlab
_JOB = re.compile(rb"^(collectives|flows|gpus|nics|gpu-nics)[ \t]*:", re.M)


def matches(head: bytes) -> bool:
    """Does a file that begins like this declare something about dumps?

    >>> matches(b"traffic: {data: 26}"), matches(b"switches: [a]")
    (True, False)
    """
    return _OURS.search(head) is not None and _TOPOLOGY.search(head) is None and _JOB.search(head) is None


def read(source: Source) -> Declarations:
    """Parse and check one file. Raises BadInput with everything that is wrong with it."""
    form, tree = Form(), read_tree(source)
    if isinstance(tree, Scalar) and tree.empty:
        raise BadInput.at(tree.place, f"is empty; expected some of {', '.join(KEYS)}")
    top = form.fields(tree, "the declarations", KEYS)
    assume = form.fields(top["assume"], "assume", ("incomplete-arp",)) if "assume" in top else {}
    arp = form.choice(assume["incomplete-arp"], "incomplete-arp", ("flood", "drop")) if "incomplete-arp" in assume else ""
    adaptive = form.choice(top["adaptive"], "adaptive", ("committed", "reselecting")) if "adaptive" in top else ""
    declared = Declarations(
        source.path,
        tree.place,
        classes=_classes(form, top),
        traffic=_traffic(form, top.get("traffic")),
        roles=tuple(_role(form, name, node) for name, node in _entries(form, top.get("roles"), "roles")),
        remaps=tuple(_remap(form, item) for item in form.items(top.get("remaps"), "remaps")),
        hosts=tuple(host for item in form.items(top.get("hosts"), "hosts") for host in _host(form, item)),
        lags=_interfaces(form, top.get("lags"), "lags"),
        vlans=_interfaces(form, top.get("vlans"), "vlans"),
        tunnels=tuple(_tunnel(form, item) for item in form.items(top.get("tunnels"), "tunnels")),
        incomplete_arp=cast(IncompleteArp, arp),
        ttl=form.integer(top["ttl"], "ttl", 1, MAX_TTL) if "ttl" in top else 0,
        adaptive=cast(Adaptive, adaptive),
        vrf=form.word(top["vrf"], "vrf").text if "vrf" in top else "",
        hashing=hashing_of(form, top.get("hashing"), tiers=False),
    )
    refuse_if(form.problems)
    return declared


def _classes(form: Form, given: MappingOf[str, Node]) -> Classes:
    """The keys of CLASS_KEYS among ``given``."""
    lossless, dscp, groups = None, None, None
    if "lossless" in given:
        lossless = form.integers(given["lossless"], "a lossless priority", 0, MAX_PRIORITY)
    if "dscp" in given:
        dscp = _numbers(form, given["dscp"], "dscp", "a priority", MAX_PRIORITY)
    if "groups" in given:
        items = form.items(given["groups"], "groups")
        groups = tuple(form.integers(item, "a priority of a group", 0, MAX_PRIORITY) for item in items)
        if not all(groups):
            form.wrong(given["groups"].place, "a priority group holds at least one priority")
        inside = [p for group in groups for p in group]
        if len(set(inside)) != len(inside):
            form.wrong(given["groups"].place, "a priority is in two groups; each has one priority group")
    return Classes(lossless, dscp, groups)


def _numbers(form: Form, node: Node, what: str, value: str, most: int) -> dict[int, int]:
    """A mapping from DSCPs (or ranges, ``24-31``) to numbers."""
    out: dict[int, int] = {}
    if not isinstance(node, Mapping):
        form.wrong(node.place, f"{what} must be a mapping from DSCPs, found {node.what}")
        return out
    for key, item in node.items.values():
        number = form.integer(item, f"{value} of DSCP {key.text}", 0, most)
        for dscp in _range(form, key):
            if dscp in out:
                form.wrong(key.place, f"DSCP {dscp} is there twice")
            out[dscp] = number
    return out


def _range(form: Form, node: Scalar) -> range:
    """``26`` or ``24-31``."""
    first, dash, last = node.text.partition("-")
    if not all(word.isdecimal() and len(word) < 3 for word in ([first, last] if dash else [first])):
        form.wrong(node.place, f"{node.text!r} is no DSCP; expected 0..{MAX_DSCP}, or a range as 24-31")
        return range(0)
    found = range(int(first), int(last or first) + 1)
    if not found or found[-1] > MAX_DSCP:
        form.wrong(node.place, f"{node.text!r} is no DSCP; expected 0..{MAX_DSCP}, or a range as 24-31")
        return range(0)
    return found


def _traffic(form: Form, node: Node | None) -> dict[str, tuple[int, ...]]:
    if node is None:
        return {}
    out = {}
    for name, value in form.fields(node, "traffic", DIRECTIONS).items():
        items = value.items if isinstance(value, Sequence) else (value,)
        out[name] = tuple(sorted({form.integer(item, f"the DSCP of {name}", 0, MAX_DSCP) for item in items}))
    if "data" not in out:
        form.wrong(node.place, "traffic needs the key 'data'")
    return out


def _entries(form: Form, node: Node | None, what: str) -> list[tuple[Scalar, Node]]:
    """The entries of a mapping with free keys."""
    if node is None or (isinstance(node, Scalar) and node.empty):
        return []
    if not isinstance(node, Mapping):
        form.wrong(node.place, f"{what} must be a mapping, found {node.what}")
        return []
    return list(node.items.values())


def _role(form: Form, name: Scalar, node: Node) -> RoleLine:
    given = form.fields(node, f"the role {name.text!r}", (*CLASS_KEYS, "hashing"), ("match",))
    hashing = hash_line(form, given.get("hashing"), f"hashing of the role {name.text!r}")
    return RoleLine(form.name(name, "a role"), form.words(given.get("match"), "match"), _classes(form, given), hashing)


def _remap(form: Form, node: Node) -> RemapLine:
    given = form.fields(node, "a remap", ("at", "in", "out", "queue"), ("dscp",))
    at, into, out = (form.words(given.get(key), key, "*") for key in ("at", "in", "out"))
    dscp = _numbers(form, given["dscp"], "dscp", "the new DSCP", MAX_DSCP) if "dscp" in given else {}
    queue = form.choice(given["queue"], "queue", ("new", "old")) if "queue" in given else "new"
    return RemapLine(at, into, out, dscp, "old" if queue == "old" else "new", node.place)


def _host(form: Form, node: Node) -> list[HostLine]:
    """One host; several entries of one name where each of its ports has addresses of its own."""
    given = form.fields(node, "a host", ("addresses",), ("name", "ports"))
    if not {"name", "ports"} <= set(given):
        return []
    name = form.word(given["name"], "name")
    ports = given["ports"]
    if isinstance(ports, Mapping):
        if "addresses" in given:
            form.wrong(given["addresses"].place, "'addresses' are given port by port already")
        entries = ports.items.values()
        return [HostLine(name, _ends(form, port), _addresses(form, addresses)) for port, addresses in entries]
    return [HostLine(name, _ends(form, ports), _addresses(form, given.get("addresses")))]


def _ends(form: Form, node: Node) -> tuple[End, ...]:
    """Switch ports, ``leaf1:swp3``."""
    out = []
    for word in form.words(node, "a port of a switch"):
        device, colon, port = word.text.partition(":")
        if not (device and colon and port):
            form.wrong(word.place, f"{word.text!r} is no port of a switch; expected DEVICE:PORT")
        out.append(End(device, port, word.place))
    return tuple(out)


def _addresses(form: Form, node: Node | None) -> tuple[Word, ...]:
    words = form.words(node, "an address")
    for word in words:
        _check_address(form, word, prefix=False)
    return words


def _check_address(form: Form, word: Word, *, prefix: bool) -> None:
    try:
        ipaddress.ip_network(word.text, strict=False) if prefix else ipaddress.ip_address(word.text)
    except ValueError:
        form.wrong(word.place, f"{word.text!r} is no IPv4 or IPv6 address")


def _interfaces(form: Form, node: Node | None, what: str) -> dict[tuple[str, str], tuple[Word, ...]]:
    """Device -> interface -> ports."""
    out = {}
    for device, inside in _entries(form, node, what):
        for name, ports in _entries(form, inside, f"{what} of {device.text}"):
            out[device.text, name.text] = form.words(ports, f"{name.text} of {device.text}")
    return out


def _tunnel(form: Form, node: Node) -> TunnelLine:
    given = form.fields(node, "a tunnel", ("address", "dscp", "mode", "standby"), ("at", "to"))
    at, to = (form.word(given[key], key) if key in given else Word("", node.place) for key in ("at", "to"))
    address = form.word(given["address"], "address") if "address" in given else Word("", node.place)
    if address.text:
        _check_address(form, address, prefix=False)
    standby = form.words(given.get("standby"), "standby")
    for word in standby:
        if "/" in word.text:
            _check_address(form, word, prefix=True)
    dscp = _numbers(form, given["dscp"], "dscp", "the outer DSCP", MAX_DSCP) if "dscp" in given else {}
    mode = form.choice(given["mode"], "mode", ("pipe", "uniform")) if "mode" in given else "pipe"
    return TunnelLine(at, to, address.text, dscp, cast(Mode, mode), standby, node.place)
