"""Names of many hosts in a few words: ``gpu[01-16]`` as Slurm writes it, and templates such as ``leaf{index//32}-h{nic}``.

In a template ``{node}`` is the name of the node, ``{index}`` its number from 0, ``{nic}`` that of the NIC and ``{device}`` that
of a port of a merged NIC; numbers may be computed with ``+ - * // %`` and padded with zeros: ``{nic+1:2}``.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MOST_NAMES = 1 << 20
LONGEST = 1000  # letters of a word with ranges
_LIST = re.compile(r"([^\[\]]*)\[([0-9,\-]{1,1000})\](.*)", re.S)
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FIELD = re.compile(r"([^:]{1,80})(?::([0-9]))?")
_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_EXPECTED = "expected {node}, {index}, {nic} or {device}, computed with + - * // %, such as {nic+1} or {index//32:2}"


def expand(word: str) -> list[str]:
    """The names that a word with ranges in brackets stands for; itself where it has none. Raises ValueError.

    >>> expand("gpu[08-10,12]-a")
    ['gpu08-a', 'gpu09-a', 'gpu10-a', 'gpu12-a']
    """
    found = _LIST.fullmatch(word) if len(word) <= LONGEST else None
    if found is None:
        return [word]
    head, inside, tail = found.groups()
    numbers, tails = _numbers(inside, word), expand(tail)
    if len(numbers) * len(tails) > MOST_NAMES:
        raise ValueError(f"{word!r} stands for more than {MOST_NAMES} names")
    return [head + number + rest for number in numbers for rest in tails]


def _numbers(inside: str, word: str) -> list[str]:
    """The numbers of ``01-16,20``, as wide as they are written."""
    out: list[str] = []
    for part in inside.split(","):
        span = _RANGE.fullmatch(part)
        if span is None:
            raise ValueError(f"{part!r} in {word!r} is no range; expected numbers such as 1-16,20")
        first, last = int(span[1]), int(span[2] or span[1])
        if not first <= last < first + MOST_NAMES - len(out):
            raise ValueError(f"the range {part!r} in {word!r} is empty or longer than {MOST_NAMES} names")
        out.extend(str(n).zfill(len(span[1])) for n in range(first, last + 1))
    return out


@dataclass(frozen=True)
class Template:
    """A name with places to fill: ``parts`` are texts and (expression, width)."""

    text: str
    parts: tuple[str | tuple[ast.expr, int], ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Raises ValueError where it is none."""
        parts: list[str | tuple[ast.expr, int]] = []
        for i, piece in enumerate(_PLACEHOLDER.split(text)):
            parts.append(_placeholder(piece, text) if i % 2 else piece)
        if any("{" in part or "}" in part for part in parts if isinstance(part, str)):
            raise ValueError(f"{text!r} has a brace with no other; {_EXPECTED}")
        return cls(text, tuple(parts))

    def uses(self, name: str) -> bool:
        """Does any placeholder speak of ``node``, ``index`` or ``nic``?"""
        expressions = [part[0] for part in self.parts if not isinstance(part, str)]
        return any(isinstance(n, ast.Name) and n.id == name for one in expressions for n in ast.walk(one))

    def filled(self, node: str, index: int, nic: int, device: int = 0) -> str:
        """The name for these. Raises ValueError where a number cannot be computed."""
        numbers = {"index": index, "nic": nic, "device": device}
        return "".join(part if isinstance(part, str) else self._value(part, node, numbers) for part in self.parts)

    def _value(self, part: tuple[ast.expr, int], node: str, numbers: Mapping[str, int]) -> str:
        expression, width = part
        if isinstance(expression, ast.Name) and expression.id == "node":
            return node
        return str(_computed(expression, numbers, self.text)).zfill(width)

    def finds_node(self, nic: int) -> re.Pattern[str] | None:
        """A pattern whose group ``node`` is the node's name in a host's name; None where the template has no ``{node}``."""
        if not self.uses("node") or self.uses("index"):
            return None
        seen, out = False, []
        for part in self.parts:
            if isinstance(part, str):
                out.append(re.escape(part))
            elif isinstance(part[0], ast.Name) and part[0].id == "node":
                out.append("(?P=node)" if seen else "(?P<node>.+)")
                seen = True
            else:
                out.append(re.escape(self._value(part, "", {"nic": nic, "index": 0, "device": 0})))
        return re.compile("".join(out))


def _placeholder(inside: str, text: str) -> tuple[ast.expr, int]:
    found = _FIELD.fullmatch(inside.strip())
    try:
        tree = ast.parse(found[1].strip(), mode="eval").body if found else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        tree = None
    if found is None or tree is None or not _is_fine(tree, top=True):
        raise ValueError(f"'{{{inside}}}' in {text!r} is not understood; {_EXPECTED}")
    return tree, int(found[2] or 0)


def _is_fine(tree: ast.expr, *, top: bool = False) -> bool:
    if isinstance(tree, ast.BinOp):
        return type(tree.op) in _OPERATIONS and _is_fine(tree.left) and _is_fine(tree.right)
    if isinstance(tree, ast.Name):
        return tree.id in ("index", "nic", "device") or (top and tree.id == "node")
    return isinstance(tree, ast.Constant) and type(tree.value) is int and abs(tree.value) < 1_000_000


def _computed(tree: ast.expr, numbers: Mapping[str, int], text: str) -> int:
    if isinstance(tree, ast.BinOp):
        left, right = _computed(tree.left, numbers, text), _computed(tree.right, numbers, text)
        if isinstance(tree.op, ast.FloorDiv | ast.Mod) and right == 0:
            raise ValueError(f"{text!r} divides by 0")
        return _OPERATIONS[type(tree.op)](left, right)
    if isinstance(tree, ast.Name):
        return numbers[tree.id]
    assert isinstance(tree, ast.Constant)
    return int(str(tree.value))
