"""Reads values out of a YAML tree and notes everything that is wrong on the way, so that all of it is told at once.

A method that finds a value wrong notes a problem and gives the stated default, so that reading can go on.
"""

import re
from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf

from pauseproof.fabric.places import Place, Problem
from pauseproof.readers.native_lines import Word
from pauseproof.readers.suggest import expected_one_of
from pauseproof.readers.yaml_tree import Mapping, Node, Scalar, Sequence

INTEGER = re.compile(r"-?[0-9]{1,10}")  # AS numbers have ten digits
NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
NAME = re.compile(r"[\w./+=-]{1,255}")  # no blanks, no colon (it parts node and port), no characters of patterns
NAN = float("nan")


class Form:
    """A file being read. ``problems`` holds what was found wrong so far."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def wrong(self, place: Place, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(place, message))

    def fields(self, node: Node, what: str, known: Iterable[str], needed: Iterable[str] = ()) -> MappingOf[str, Node]:
        """The values of a mapping by key; unknown and missing keys are problems."""
        if not isinstance(node, Mapping):
            self.wrong(node.place, f"{what} must be a mapping, found {node.what}")
            return {}
        legal = {*known, *needed}
        for key, _ in node.items.values():
            if key.text not in legal:
                self.wrong(key.place, f"unknown key {key.text!r} in {what}; {expected_one_of(key.text, legal)}")
        for name in needed:
            if name not in node.items:
                self.wrong(node.place, f"{what} needs the key {name!r}")
        return {name: value for name, (_, value) in node.items.items() if name in legal}

    def entries(self, node: Node | None, what: str) -> SequenceOf[tuple[Scalar, Node]]:
        """The entries of a mapping with free keys, or of a list of names (whose values are then empty)."""
        if node is None or (isinstance(node, Scalar) and node.empty):
            return []
        if isinstance(node, Mapping):
            return list(node.items.values())
        if isinstance(node, Scalar):
            self.wrong(node.place, f"{what} must be a list of names, or a mapping; found a single value")
            return []
        names = [item for item in node.items if isinstance(item, Scalar)]
        for item in node.items:
            if not isinstance(item, Scalar):
                self.wrong(item.place, f"{what}: expected a name, found {item.what}")
        return [(name, Scalar(name.place, "")) for name in names]

    def items(self, node: Node | None, what: str) -> SequenceOf[Node]:
        """The items of a list."""
        if node is None or (isinstance(node, Scalar) and node.empty):
            return []
        if not isinstance(node, Sequence):
            self.wrong(node.place, f"{what} must be a list, found {node.what}")
            return []
        return node.items

    def text(self, node: Node, what: str) -> str:
        """Any single value, as written."""
        if not isinstance(node, Scalar):
            self.wrong(node.place, f"{what} must be a single value, found {node.what}")
            return ""
        return node.text

    def name(self, node: Scalar, what: str) -> Word:
        """A name that cables and tables can refer to."""
        if not NAME.fullmatch(node.text):
            self.wrong(node.place, f"{node.text!r} is no name for {what}; letters, digits and . / + = _ - make one")
        return Word(node.text, node.place)

    def word(self, node: Node, what: str) -> Word:
        """A single word that is not empty."""
        text = self.text(node, what)
        if isinstance(node, Scalar) and (node.empty or not text):
            self.wrong(node.place, f"{what} is empty")
        return Word(text, node.place)

    def words(self, node: Node | None, what: str, default: str = "") -> tuple[Word, ...]:
        """One word or a list of at least one word."""
        if node is None:
            return (Word(default, Place("")),) if default else ()
        if isinstance(node, Sequence) and not node.items:
            self.wrong(node.place, f"{what} is an empty list; expected a name or more")
        items = node.items if isinstance(node, Sequence) else (node,)
        return tuple(self.word(item, what) for item in items)

    def choice(self, node: Node, what: str, legal: SequenceOf[str]) -> str:
        """One of the legal words; the first where it is not."""
        text = self.text(node, what)
        if text not in legal:
            if isinstance(node, Scalar):
                self.wrong(node.place, f"{what} {text!r} is not known; {expected_one_of(text, legal)}")
            return legal[0]
        return text

    def integer(self, node: Node, what: str, least: int, most: int) -> int:
        """A whole number in a range; ``least`` where it is not."""
        text = self.text(node, what)
        value = int(text) if INTEGER.fullmatch(text) else least - 1
        if not least <= value <= most:
            if isinstance(node, Scalar):
                self.wrong(node.place, f"{what} must be a whole number from {least} to {most}, found {text!r}")
            return least
        return value

    def integers(self, node: Node, what: str, least: int, most: int) -> tuple[int, ...]:
        """A list of whole numbers."""
        return tuple(self.integer(item, what, least, most) for item in self.items(node, what))

    def number(self, node: Node | None, what: str, default: float = NAN) -> float:
        """A number that is not negative, NaN where it is no number."""
        if node is None:
            return default
        text = self.text(node, what)
        if not NUMBER.fullmatch(text):
            if isinstance(node, Scalar):
                self.wrong(node.place, f"{what} must be a number, found {text!r}")
            return NAN
        return float(text)
