"""What an operator loads: the files of all offered alternatives, in a folder for each."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pauseproof.repair.apply import Applied
from pauseproof.repair.kinds import kind
from pauseproof.repair.repair import Repair


class Folder(NamedTuple):
    """The files of one alternative, by name, in a folder of this name."""

    name: str
    one: Applied
    files: Mapping[str, str]


def folders_of(found: Repair) -> Iterator[Folder]:
    """One for each alternative, called as its kind is; the second alternative of a kind is in ``KIND-2``, and so on."""
    seen: dict[str, int] = {}
    for one in found.offered:
        name = one.alternative.kind
        seen[name] = seen.get(name, 0) + 1
        folder = name if seen[name] == 1 else f"{name}-{seen[name]}"
        yield Folder(folder, one, kind(name).loadable(found.before.asked, one.alternative))
