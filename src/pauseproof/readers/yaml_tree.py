"""YAML as a tree in which every word keeps its line and column: the part of YAML that a topology file needs.

A scalar stays the text that was written: nothing is guessed to be a number, a date or a truth value here. Bounded by
construction: the size of the file, the depth, and the number of nodes, where an alias counts as all the nodes that it
stands for. Refused: several documents, tags, keys that are not scalars, and keys that occur twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from pauseproof.fabric.places import BadInput, Place, Problem
from pauseproof.fabric.problems import refuse_if
from pauseproof.readers.source import Source

MAX_BYTES = 64 << 20
MAX_DEPTH = 32
MAX_NODES = 8_000_000


@dataclass(frozen=True, slots=True)
class Scalar:
    """One word or text. ``quoted`` tells ``""`` from nothing at all."""

    place: Place
    text: str
    quoted: bool = False
    size: int = 1
    what = "a single value"

    @property
    def empty(self) -> bool:
        """Nothing was written, or YAML's null."""
        return not self.quoted and self.text in ("", "~", "null")


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    place: Place
    items: "tuple[Node, ...]"
    size: int
    what = "a list"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys and values, in the order of the file."""

    place: Place
    items: "dict[str, tuple[Scalar, Node]]"
    size: int
    what = "a mapping"


Node = Scalar | Sequence | Mapping


def read_tree(source: Source) -> Node:
    """The one document of a file. Raises BadInput."""
    if len(source.data) > MAX_BYTES:
        raise BadInput.at(Place(source.path), f"is larger than {MAX_BYTES >> 20} MiB, the most that a topology file may be")
    reader = _Reader(source.path, yaml.parse(bytes(source.data), Loader=yaml.CSafeLoader))
    try:
        tree = reader.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(source.path, mark.line + 1, mark.column + 1) if mark else Place(source.path)
        raise BadInput.at(place, f"is not YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise BadInput.at(Place(source.path), f"is not YAML: {' '.join(str(error).split())}") from error
    refuse_if(reader.problems)
    return tree


class _Reader:
    """Builds the tree from the events of the parser."""

    def __init__(self, path: str, events: Iterator[yaml.Event]) -> None:
        self.path, self.events = path, events
        self.anchors: dict[str, Node] = {}
        self.problems: list[Problem] = []
        self.nodes = 0

    def document(self) -> Node:
        tree: Node = Scalar(Place(self.path), "")
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise BadInput.at(self._place(event), "a second document begins here; a topology file holds one")
                tree = self._node(next(self.events), 0)
        return tree

    def _node(self, event: yaml.Event, depth: int) -> Node:
        place = self._place(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor or "", place)
        if depth >= MAX_DEPTH:
            raise BadInput.at(place, f"is nested more than {MAX_DEPTH} deep")
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            self.problems.append(Problem(place, f"the tag {tag!r} is not understood; topology files use none"))
        self._count(1, place)
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = Scalar(place, event.value, event.style in ("'", '"'))
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(place, depth)
        else:
            node = self._mapping(place, depth)
        if anchor := getattr(event, "anchor", None):
            self.anchors[anchor] = node
        return node

    def _alias(self, anchor: str, place: Place) -> Node:
        if anchor not in self.anchors:
            raise BadInput.at(place, f"the alias *{anchor} stands before the end of its anchor &{anchor}")
        self._count(self.anchors[anchor].size, place)
        return self.anchors[anchor]

    def _sequence(self, place: Place, depth: int) -> Sequence:
        items = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Sequence(place, tuple(items), 1 + sum(item.size for item in items))

    def _mapping(self, place: Place, depth: int) -> Mapping:
        items: dict[str, tuple[Scalar, Node]] = {}
        size = 1
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key, value = self._node(event, depth + 1), self._node(next(self.events), depth + 1)
            size += key.size + value.size
            if not isinstance(key, Scalar):
                self.problems.append(Problem(self._place(event), "a key is a single word"))
            elif key.text in items:
                first = items[key.text][0].place
                self.problems.append(Problem(key.place, f"the key {key.text!r} is there twice, first in line {first.line}"))
            else:
                items[key.text] = (key, value)
        return Mapping(place, items, size)

    def _count(self, size: int, place: Place) -> None:
        self.nodes += size
        if self.nodes > MAX_NODES:
            raise BadInput.at(place, f"holds more than {MAX_NODES} values, counting what its aliases stand for")

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.path, mark.line + 1, mark.column + 1) if mark else Place(self.path)
