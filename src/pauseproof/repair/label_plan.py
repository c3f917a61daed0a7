"""Labels rewritten at turns of a topology file: the network as it would be, and the lines that make it so.

Such a file has lanes and labels by name. New ones are added, one lane for each new class; a turn that makes packets lossy sends
them on in a lane that never pauses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pauseproof.fabric.lanes import Lanes
from pauseproof.repair.rewrites import RewriteLine, Rewrites, lines_of
from pauseproof.routing.ask import Asked
from pauseproof.routing.network import Network
from pauseproof.routing.traffic import Traffic

LOSSY = "lossy"
ONLY = "hosts send with label {} only"


@dataclass(frozen=True)
class Rewritten:
    """The network and traffic with rewritten labels, the lines that do it, the files that say so, and what must be assumed."""

    network: Network
    traffic: Traffic
    lines: Sequence[RewriteLine]
    files: Mapping[str, str]
    assumptions: tuple[str, ...] = ()


class LabelPlan:
    """``new`` are the names of the labels of classes 1, 2, ..., each of which rides a lane of its own name."""

    def __init__(self, asked: Asked, classes: int) -> None:
        self.asked, self.lanes = asked, asked.network.lanes
        taken = {*self.lanes.label_names, *self.lanes.lane_names}
        free = (str(i) for i in range(len(taken) + classes) if str(i) not in taken)
        self.new = [next(free) for _ in range(classes - 1)]
        self.lossy = LOSSY

    def name_of(self, label: int) -> str:
        """The name of a label of the network as it is."""
        return self.lanes.label_names[label]

    @staticmethod
    def unfit(asked: Asked) -> str:
        """Why the labels of this network cannot be rewritten; empty where they can."""
        lanes = asked.network.lanes
        if lanes.turn_row is not None or len(lanes.step) != 1 or lanes.lossy_lane is not None or (lanes.step < 0).any():
            return "its turns have lane rules already"
        if lanes.coupled is not None or lanes.host_row.any():
            return "its lanes share egress queues, or hosts have lane maps of their own"
        return ""

    def apply(self, rewrites: Rewrites) -> Rewritten:
        """Rewrite labels at turns."""
        fabric, old = self.asked.network.fabric, self.lanes
        lossy = any(LOSSY in change.values() for change in rewrites.values())
        names = (*old.label_names, *self.new, *([LOSSY] if lossy else []))
        lane_names = (*old.lane_names, *self.new, *([LOSSY] if lossy else []))
        rides = [int(old.class_lane[c]) for c in old.step[0].tolist()]
        rides += range(len(old.lane_names), len(lane_names))
        changes = sorted({tuple(sorted(change.items())) for change in rewrites.values()})
        step = np.tile(np.arange(len(names), dtype=np.int16), (1 + len(changes), 1))
        for r, change in enumerate(changes, 1):
            for before, after in change:
                step[r, names.index(before)] = names.index(after)
        width = fabric.max_radix + 1
        rows = np.zeros((fabric.n_switches, width, width), np.int32)
        for place, now in rewrites.items():
            rows[place] = 1 + changes.index(tuple(sorted(now.items())))
        label, lane = np.arange(len(names), dtype=np.int16), np.array(rides, np.int16)
        lossy_lane = len(lane_names) - 1 if lossy else None
        lanes = Lanes(names, lane_names, label, lane, step, rows, np.zeros(fabric.n_hosts, np.int32), None, lossy_lane)
        lines = lines_of(fabric, rewrites)
        network = replace(self.asked.network, lanes=lanes)
        return Rewritten(
            network,
            self.asked.traffic,
            lines,
            {"lanes.yaml": self._text(names, lane_names, rides, lines, lossy)},
            (self._on_hosts(),),
        )

    def _on_hosts(self) -> str:
        """Which labels hosts send with: the new ones are not among them."""
        traffic = self.asked.traffic
        bits = 1 << traffic.label
        if traffic.labels is not None:
            bits = int(np.bitwise_or.reduce(traffic.labels, axis=None, initial=0))
        return ONLY.format(", ".join(name for k, name in enumerate(self.lanes.label_names) if bits >> k & 1))

    def _text(
        self, names: Sequence[str], lane_names: Sequence[str], rides: Sequence[int], lines: Sequence[RewriteLine], lossy: bool
    ) -> str:
        import yaml

        n = len(names) - lossy
        rules = [{"at": line.at, "in": list(line.into), "out": list(line.out), "label": dict(line.change)} for line in lines]
        keys = {
            "lanes": list(lane_names[: len(lane_names) - lossy]),
            "labels": list(names[:n]),
            "lane-of-label": [lane_names[v] for v in rides[:n]],
            "lane-rules": rules,
        }
        return yaml.dump(keys, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
