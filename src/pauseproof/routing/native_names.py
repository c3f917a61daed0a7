"""Which nodes, columns and ports the words of a topology file mean.

A word with ``*`` or ``?`` is a pattern. Notation: ``s`` a switch, ``d`` a column, ``n`` a node, ``p`` a port.
"""

import re
from fnmatch import translate
from functools import cached_property

import numpy as np

from pauseproof.fabric.model import Fabric, Ids
from pauseproof.fabric.places import Problem
from pauseproof.readers.native_lines import Word
from pauseproof.readers.suggest import expected_one_of


def is_pattern(word: Word) -> bool:
    """Does the word stand for all names that match it?"""
    return "*" in word.text or "?" in word.text


class Names:
    """Looks words up in a fabric and notes those that mean nothing."""

    def __init__(self, fabric: Fabric, tier: Ids | None) -> None:
        self.fabric, self.tier = fabric, tier
        self.problems: list[Problem] = []

    @cached_property
    def node(self) -> dict[str, int]:
        """Node ids by name."""
        return {name: n for n, name in enumerate(self.fabric.node_name)}

    def nodes(self, words: tuple[Word, ...], what: str, first: int, last: int) -> list[int]:
        """The nodes ``first <= n < last`` that the words mean, ascending; a word that means none is a problem."""
        found: set[int] = set()
        for word in words:
            ids = self._matching(word, first, last)
            if not ids:
                known = self.fabric.node_name[first:last]
                hint = "nothing matches the pattern" if is_pattern(word) else expected_one_of(word.text, known)
                self.wrong(word, f"no {what} is called {word.text!r}; {hint}")
            found.update(ids)
        return sorted(found)

    def switches(self, words: tuple[Word, ...]) -> list[int]:
        """The switches that the words mean."""
        return self.nodes(words, "switch", 0, self.fabric.n_switches)

    def _matching(self, word: Word, first: int, last: int) -> list[int]:
        if is_pattern(word):
            match = re.compile(translate(word.text)).match
            return [n for n in range(first, last) if match(self.fabric.node_name[n])]
        n = self.node.get(word.text, -1)
        return [n] if first <= n < last else []

    def wrong(self, word: Word, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(word.place, message))

    def ports(self, s: int, word: Word) -> list[int]:
        """The ports of switch ``s`` that a word means: a port, else the cabled ports to the neighbours it means.

        ``*`` is every port, 0 included; ``hosts``, ``above`` and ``below`` are the ports to hosts, to switches of a higher
        tier, and to hosts and switches of a lower tier.
        """
        fabric, text = self.fabric, word.text
        if text == "*":
            return list(range(int(fabric.node_ports[s]) + 1))
        if (p := self._port(s, text)) > 0:
            return [p]
        out = fabric.out_link[s]
        cabled = np.flatnonzero(out >= 0).tolist()
        return [p for p in cabled if self._is(word, s, int(fabric.link_dst[out[p]]))]

    def _port(self, s: int, text: str) -> int:
        radix, names = int(self.fabric.node_ports[s]), self.fabric.port_names.get(s)
        if names is not None:
            return list(names).index(text) if text in names[1:] else -1
        return int(text) if text.isdecimal() and len(text) < 6 and 1 <= int(text) <= radix else -1

    def _is(self, word: Word, s: int, neighbour: int) -> bool:
        at_host = neighbour >= self.fabric.n_switches
        if word.text == "hosts":
            return at_host
        if word.text in ("above", "below"):
            rise = -1 if at_host else self._rise(s, neighbour)
            return rise > 0 if word.text == "above" else rise < 0
        name = self.fabric.node_name[neighbour]
        return re.match(translate(word.text), name) is not None if is_pattern(word) else name == word.text

    def _rise(self, s: int, t: int) -> int:
        return 0 if self.tier is None else int(self.tier[t]) - int(self.tier[s])
