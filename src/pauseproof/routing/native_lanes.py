"""The lanes of a topology file: how labels ride them, and what the lane rules change at which turns.

Row 0 of ``step`` is what happens where no rule matches: the label stays, and rides the lane that ``lane-of-label`` gives it
(else the lane of its own name). Row ``i + 1`` is rule ``i``. At a turn the first rule that matches counts.
"""

from typing import NamedTuple

import numpy as np

from pauseproof.fabric.lanes import LOSSY, Lanes
from pauseproof.fabric.model import Ids
from pauseproof.fabric.places import Place
from pauseproof.readers.native_lines import LaneRule, NativeFile, Word
from pauseproof.routing.native_names import Names

MOST_TURNS = 1 << 27
Step = tuple[tuple[int, int] | None, ...]  # by label: the next (label, lane), None where lossy


def lanes_of(native: NativeFile, names: Names) -> Lanes:
    """The lanes; words that mean nothing are noted in ``names``."""
    words = _Words(native, names)
    base = words.base()
    steps = [words.step(None, base), *(words.step(rule, base) for rule in native.lane_rules)]
    classes = sorted({pair for step in steps for pair in step if pair is not None})
    at = {pair: c for c, pair in enumerate(classes)}
    step = np.array([[LOSSY if pair is None else at[pair] for pair in row] for row in steps], np.int16)
    turns = _turn_rows(native, names) if native.lane_rules else None
    label, lane = np.array(classes, np.int16).reshape(-1, 2).T
    return Lanes(native.labels, native.lanes, label, lane, step, turns, np.zeros(names.fabric.n_hosts, np.int32))


class _Words(NamedTuple):
    """Looks labels and lanes up."""

    native: NativeFile
    names: Names

    def base(self) -> list[int | None]:
        """The lane that each label rides where no rule says otherwise."""
        native, given = self.native, self.native.lane_of_label
        if given and len(given) != len(native.labels):
            self.names.wrong(given[0], f"lane-of-label gives {len(given)} lanes for {len(native.labels)} labels")
            return [0] * len(native.labels)
        here = Place(native.path)
        return [self._lane(word) for word in given or [Word(label, here) for label in native.labels]]

    def step(self, rule: LaneRule | None, base: list[int | None]) -> Step:
        """The row of a rule; of no rule: None."""
        labels = self.native.labels
        after: list[int | None] = list(range(len(labels)))
        rides = list(base)
        for key, word in rule.label.items() if rule else ():
            at = self._label(Word(key, word.place))
            after[at or 0] = None if word.text == "lossy" else self._label(word)
        for key, word in rule.lane.items() if rule else ():
            rides[self._label(Word(key, word.place)) or 0] = self._lane(word)
        pairs = [(k, None if k is None else rides[k]) for k in after]
        return tuple(None if k is None or v is None else (k, v) for k, v in pairs)

    def _label(self, word: Word) -> int | None:
        labels = self.native.labels
        if word.text in labels:
            return labels.index(word.text)
        self.names.wrong(word, f"{word.text!r} is no label; expected one of {', '.join(labels)}")
        return None

    def _lane(self, word: Word) -> int | None:
        lanes = self.native.lanes
        if word.text in lanes:
            return lanes.index(word.text)
        if word.text != "lossy":
            hint = "" if self.native.lane_of_label else "; 'lane-of-label' gives each label its lane"
            self.names.wrong(word, f"{word.text!r} is no lane; expected lossy or one of {', '.join(lanes)}{hint}")
        return None


def _turn_rows(native: NativeFile, names: Names) -> Ids:
    """``turn_row`` of :class:`Lanes`: later rules first, so that the first that matches is what stays."""
    fabric, width = names.fabric, names.fabric.max_radix + 1
    if fabric.n_switches * width * width > MOST_TURNS:
        names.wrong(Word("", native.lane_rules[0].place), f"lane rules of more than {MOST_TURNS} turns are too many")
        return np.zeros((0, 0, 0), np.int32)
    rows = np.zeros((fabric.n_switches, width, width), np.int32)
    for i, rule in reversed(list(enumerate(native.lane_rules))):
        matches = 0
        for s in names.switches(rule.at):
            into, out = (sorted({p for word in words for p in names.ports(s, word)}) for words in (rule.into, rule.out))
            rows[s][np.ix_(into, out)] = i + 1
            matches += len(into) * len(out)
        if not matches:
            names.wrong(Word("", rule.place), "this lane rule matches no turn; 'in' and 'out' name ports or neighbours of 'at'")
    return rows
