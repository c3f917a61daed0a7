"""The groups of a job description: kinds of parallelism with their sizes, and groups whose ranks are listed."""

from collections.abc import Mapping as MappingOf

from pauseproof.fabric.places import Place
from pauseproof.readers.forms import Form
from pauseproof.readers.job_lines import AXES, BUILT_IN, SHARDS, GroupLine
from pauseproof.readers.job_values import whole_number
from pauseproof.readers.native_lines import Word
from pauseproof.readers.suggest import expected_one_of
from pauseproof.readers.yaml_tree import Mapping, Node, Scalar

MOST_RANKS = 1 << 23


def read_groups(form: Form, node: Node | None) -> tuple[GroupLine, ...]:
    """The groups of a job by kind of parallelism, and listed ones."""
    if node is None:
        return ()
    if not isinstance(node, Mapping):
        form.wrong(node.place, f"groups must be a mapping, found {node.what}")
        return ()
    groups = tuple(_group(form, name, value) for name, value in node.items.values())
    axes = {group.name.text for group in groups if not group.ranks and group.within is None}
    for group in groups:
        if group.within is not None and group.within.text not in axes:
            near = expected_one_of(group.within.text, axes)
            form.wrong(group.within.place, f"no group of its own is called {group.within.text!r}; {near}")
    if sum(1 for group in groups if group.name.text in axes and not group.size) > 1:
        form.wrong(node.place, "two groups have no size; only one can be what the others leave over")
    return groups


def _group(form: Form, name: Scalar, node: Node) -> GroupLine:
    """``data: 8``, or a mapping; listed ranks make a group of any name."""
    word = form.name(name, "a group")
    if name.text in BUILT_IN:
        form.wrong(name.place, f"the group {name.text!r} is there already: {', '.join(BUILT_IN)} need no words")
    given: MappingOf[str, Node] = {}
    if isinstance(node, Scalar):
        given = {} if node.empty else {"size": node}
    else:
        given = form.fields(node, f"the group {name.text!r}", ("size", "within", "ranks", "shards"))
    ranks = tuple(form.integers(item, "a rank", 0, MOST_RANKS) for item in form.items(given.get("ranks"), "ranks"))
    size = whole_number(form, given, "size", 1, MOST_RANKS, 0)
    within = form.word(given["within"], "within") if "within" in given else None
    if ranks and (size or within):
        form.wrong(node.place, f"the group {name.text!r} lists its ranks; expected no 'size' and no 'within' beside them")
    elif not ranks and name.text not in (*AXES, *BUILT_IN):
        near = expected_one_of(name.text, AXES)
        form.wrong(name.place, f"{name.text!r} is no kind of parallelism; {near}, or list the 'ranks' of each such group")
    if within is not None and not size:
        form.wrong(within.place, f"the group {name.text!r} is within {within.text!r} and needs a size")
    _check_ranks(form, name, ranks)
    shards = form.choice(given["shards"], "shards", SHARDS) if "shards" in given else ""
    return GroupLine(word, size, within, ranks, shards)


def _check_ranks(form: Form, name: Scalar, ranks: tuple[tuple[int, ...], ...]) -> None:
    seen: set[int] = set()
    for rank in (rank for members in ranks for rank in members):
        if rank in seen:
            form.wrong(name.place, f"rank {rank} is twice in the groups {name.text!r}; each rank is in one of them")
            return
        seen.add(rank)


def read_order(form: Form, node: Node | None, groups: tuple[GroupLine, ...]) -> tuple[Word, ...]:
    """The axes from the innermost (whose members are neighbouring ranks) to the outermost."""
    axes = [group.name.text for group in groups if not group.ranks and group.within is None]
    if node is None:
        return tuple(Word(name, Place("")) for name in AXES if name in axes)
    words = form.words(node, "an axis")
    for word in words:
        if word.text not in axes:
            form.wrong(word.place, f"no group of its own is called {word.text!r}; {expected_one_of(word.text, axes)}")
    if sorted(word.text for word in words) != sorted(axes):
        form.wrong(node.place, f"order must name each of {', '.join(sorted(axes))} once")
    return words
