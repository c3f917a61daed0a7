"""DSCPs rewritten at turns of switches that were asked: the network as it would be, ``pauseproof.yaml``, and SONiC's maps.

A class is a lossless priority with a DSCP of its own. The declarations are written out whole, with what was declared before,
and read back: the network is what ``verify`` makes of them. SONiC's tables follow from the profile that each port then has; a
rewrite that depends on where a packet came from is beyond those tables, and listed.

Notation: ``p`` a priority, ``s`` a switch.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from pauseproof.readers import declarations
from pauseproof.readers.declared import Declarations
from pauseproof.readers.source import Source, open_source
from pauseproof.readers.yaml_tree import Mapping as TreeMapping
from pauseproof.readers.yaml_tree import Node, Scalar, read_tree
from pauseproof.repair.label_plan import Rewritten
from pauseproof.repair.rewrites import Place3, RewriteLine, Rewrites, lines_of
from pauseproof.repair.sonic_tables import sonic_tables, unlike
from pauseproof.routing.ask import Asked
from pauseproof.routing.class_assumptions import is_on_hosts
from pauseproof.routing.fabric_classes import FabricClasses
from pauseproof.routing.lossless import LosslessClasses, lossless_classes
from pauseproof.routing.port_classes import DSCPS
from pauseproof.routing.tables import ChoiceTable
from pauseproof.routing.traffic import Traffic

FILE = "pauseproof.yaml"
FIRST = 3  # the lossless priority of RoCE where nothing was said
PREFERRED = (4, 5, 6, 2, 1, 3)  # further ones, in this order: above the first where that is free
ROLE = "repaired"
IN_FORCE = "every switch rewrites DSCPs as rewrites.txt says, in hardware: the maps of sonic/ alone do not suffice"
MAPPED = "every switch has priorities {} lossless and puts DSCP {}"


class DscpPlan:
    """``new`` are the DSCPs of classes 1, 2, ...; ``priorities`` those of all classes, the first being that of ``lane``."""

    def __init__(self, asked: Asked, classes: int, lane: int) -> None:
        facts = asked.network.class_facts
        assert facts is not None
        self.asked, self.fabric, self.facts = asked, asked.network.fabric, facts
        names = asked.network.lanes.lane_names
        first = FIRST if self.silent else int(names[lane])
        read = [int(name) for name in names if name.isdecimal() and not self.silent]
        spare = [p for p in read if p not in {first, *self._used}]
        others = [p for p in PREFERRED if p not in {first, *read}]
        self.priorities = [first, *[*spare, *others][: classes - 1]]
        self.new = [str(self._free_dscp(p)) for p in self.priorities[1:]]
        self.enough = len(self.priorities) == classes and "-1" not in self.new
        self.lossy = str(self._lossy_dscp())

    @staticmethod
    def unfit(asked: Asked) -> str:
        """Why the DSCPs of this network cannot be rewritten; empty where they can."""
        table = asked.network.routes
        if isinstance(table, ChoiceTable) and (table.member_row is not None or table.rewrite is not None):
            return "packets go through tunnels or are flooded, with lane maps of their own"
        if any("(" in name for name in asked.network.lanes.label_names):
            return "packets go through tunnels"
        return ""

    @cached_property
    def silent(self) -> bool:
        """Nothing at all was said on classes."""
        return not FabricClasses(self.fabric, self.facts.configs, self.facts.declared).anything

    @cached_property
    def sent(self) -> list[str]:
        """The DSCPs with which hosts send."""
        if self.silent:
            return [str(8 * FIRST + 2)]
        traffic, names = self.asked.traffic, self.asked.network.lanes.label_names
        every = np.zeros(1, np.uint32) if traffic.labels is None else traffic.labels
        bits = 1 << traffic.label if traffic.labels is None else int(np.bitwise_or.reduce(every, axis=None, initial=0))
        return [name for k, name in enumerate(names) if bits >> k & 1]

    def name_of(self, label: int) -> str:
        """The DSCP of a label of the network as it is."""
        return self.sent[0] if self.silent else self.asked.network.lanes.label_names[label]

    @cached_property
    def _used(self) -> set[int]:
        """The priorities that traffic is in where it is sent, by every port's own map."""
        sides = [side for s in range(self.fabric.n_switches) for side in self._classes.sides(s) if side is not None]
        return {side.profile.tc_of_dscp[int(dscp)] for side in set(sides) for dscp in self.sent}

    @cached_property
    def _classes(self) -> FabricClasses:
        return FabricClasses(self.fabric, self.facts.configs, self.facts.declared)

    def _free_dscp(self, p: int) -> int:
        """A DSCP whose class selector is ``p`` and that no packet has, -1 where there is none."""
        names = () if self.silent else (*self.sent, *self.asked.network.lanes.label_names)
        taken = set(map(int, names))
        return next((d for d in (8 * p + 2, *range(8 * p, 8 * p + 8)) if d not in taken), -1)

    def _lossy_dscp(self) -> int:
        """A DSCP that is lossy at every port: 0 wherever that can be."""
        sides = [side for s in range(self.fabric.n_switches) for side in self._classes.sides(s) if side is not None]
        lossless = {d for side in set(sides) for d in side.lossless_dscps}
        return next((d for d in range(DSCPS) if d not in lossless), 0)

    def apply(self, rewrites: Rewrites) -> Rewritten:
        """Rewrite DSCPs at turns. Raises BadInput where the declarations that come of it do not hold together."""
        lines = lines_of(self.fabric, {place: self._with_old(place) | dict(change) for place, change in rewrites.items()})
        text = self._declared(lines)
        declared = declarations.read(Source(FILE, text.encode(), text.encode()))
        classes = lossless_classes(self.fabric, self.facts.configs, declared)
        of_today = lossless_classes(self.fabric, self.facts.configs, self.facts.declared).assumptions
        others = tuple(one for one in self.asked.network.assumptions if one not in of_today)
        network = replace(self.asked.network, lanes=classes.lanes, assumptions=(*others, *classes.assumptions))
        files = {FILE: text, "rewrites.txt": "".join(f"{line.words()}\n" for line in lines), **self._sonic(declared)}
        return Rewritten(
            network, self._traffic(classes), lines, files, (self._mapped(), *filter(is_on_hosts, classes.assumptions), IN_FORCE)
        )

    def _with_old(self, place: Place3) -> dict[str, str]:
        """What was declared for a turn: the first remap that matches counts alone."""
        s, *ports = place
        number = self._classes.remaps(s).get((ports[0], ports[1]), -1)
        return {str(a): str(b) for a, b in self.facts.declared.remaps[number].dscp.items()} if number >= 0 else {}

    def _mapped(self) -> str:
        inside = [*self.sent, *self.new]
        of = [self.priorities[0]] * len(self.sent) + self.priorities[1:]
        maps = ", ".join(f"{dscp} into {p}" for dscp, p in zip(inside, of, strict=True))
        return MAPPED.format(", ".join(map(str, sorted(self.priorities))), maps)

    def _traffic(self, classes: LosslessClasses) -> Traffic:
        labels = sorted({k for direction in classes.sends.values() for k in direction})
        traffic = self.asked.traffic
        if len(labels) == 1:
            return replace(traffic, label=labels[0], labels=None)
        bits = np.full((self.fabric.n_hosts, len(traffic.destination_on)), sum(1 << k for k in labels), np.uint32)
        return replace(traffic, label=(classes.sends.get("data") or labels)[0], labels=bits)

    def _declared(self, lines: Sequence[RewriteLine]) -> str:
        import yaml

        declared = self.facts.declared
        tree: dict[str, Any] = _plain(self._tree()) if declared.file else {}
        names = self.asked.network.lanes.lane_names
        lossless = sorted({*self.priorities, *(int(name) for name in names if name.isdecimal() and not self.silent)})
        new = {int(dscp): p for dscp, p in zip(self.new, self.priorities[1:], strict=True)}
        if self.silent:
            tree |= {"lossless": lossless, "dscp": {int(self.sent[0]): FIRST, **new}}
        elif self._classes.declares_default:
            tree["lossless"] = lossless
            tree |= {"dscp": {**declared.classes.dscp, **new}} if declared.classes.dscp is not None else {}
        if not declared.traffic:
            tree["traffic"] = {"data": [int(dscp) for dscp in self.sent]}
        if any(device.classes_packets for device in self._classes.devices.values()) or declared.roles:
            roles = dict(tree.get("roles") or {})
            tree["roles"] = {
                **roles,
                _unused(ROLE, roles): {"match": "*", "lossless": lossless, **({"dscp": new} if new else {})},
            }
        remaps = [
            {"at": l.at, "in": list(l.into), "out": list(l.out), "dscp": {int(a): int(b) for a, b in l.change}} for l in lines
        ]
        tree["remaps"] = [*remaps, *(tree.get("remaps") or [])]
        return yaml.dump(tree, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)

    def _tree(self) -> Node:
        path = self.facts.declared.file
        kept = next((one.source for one in self.asked.network.inputs if one.path == path and one.source is not None), None)
        return read_tree(kept or open_source(path))

    def _sonic(self, declared: Declarations) -> dict[str, str]:
        classes = FabricClasses(self.fabric, self.facts.configs, declared)
        names = unlike(self.fabric.node_name[: self.fabric.n_switches])
        return {f"sonic/{name}.config_db.json": sonic_tables(self.fabric, s, classes.sides(s)) for s, name in enumerate(names)}


def _unused(name: str, taken: Iterable[str]) -> str:
    return name if name not in set(taken) else _unused(f"{name}-again", taken)


def _plain(node: Node) -> Any:
    """The tree as dicts, lists and texts; numbers as numbers where they are written as such."""
    if isinstance(node, Scalar):
        if node.empty:
            return None
        return int(node.text) if re.fullmatch(r"0|[1-9][0-9]{0,8}", node.text) else node.text
    if isinstance(node, TreeMapping):
        return {_plain(key): _plain(value) for key, value in node.items.values()}
    return [_plain(item) for item in node.items]
