"""What ``verify`` is given to see a repair at work: what was written, and those of today's files that this does not replace."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from pauseproof.readers.registry import LABELS, ROUTES, TABLES, reader
from pauseproof.readers.snapshot import InputFile
from pauseproof.repair.dscp_plan import FILE as DECLARED
from pauseproof.repair.path_files import PSL, RECORDS, SL2VL
from pauseproof.repair.routes_csv import FILE as ROUTES_CSV

LFTS = "opensm-lfts.dump"
_PATHS, _VLS = ("psl", "path_records"), ("sl2vl", "slvl")
REPLACES: Mapping[str, Sequence[str]] = {  # reader modules, by the file that takes their place
    LFTS: TABLES,
    PSL: _PATHS,
    RECORDS: _PATHS,
    SL2VL: _VLS,
    ROUTES_CSV: (*ROUTES, "linux_nexthops"),
    DECLARED: ("declarations",),
}
MANY = 3  # files of one folder and kind that are written as a pattern
assert {*_PATHS, *_VLS} <= set(LABELS)


def check_words(folder: str, files: Iterable[str], inputs: Sequence[InputFile], paths: Sequence[str]) -> list[str]:
    """The words behind ``pauseproof verify``, quoted for a shell; none where nothing that was written can be read.

    ``paths`` is what was typed today; it is typed again where no file of it is replaced.
    """
    new = sorted(set(files) & set(REPLACES))
    if not new:
        return []
    kept = kept_inputs(new, inputs)
    all_kept = len(kept) == sum(bool(one.format) for one in inputs)
    return [
        *(shlex.quote(str(Path(folder) / name)) for name in new),
        *(map(shlex.quote, paths) if all_kept else _shortened(kept)),
    ]


def kept_inputs(new: Iterable[str], inputs: Sequence[InputFile]) -> list[str]:
    """Those of today's files that the new ones do not take the place of."""
    gone = {reader(module).NAME for name in new for module in REPLACES[name]}
    return [one.path for one in inputs if one.format and one.format not in gone]


def _shortened(paths: Sequence[str]) -> Iterator[str]:
    """Many files of one folder with one ending as a pattern, where it matches these alone."""
    groups: dict[tuple[Path, str], list[str]] = {}
    for path in paths:
        groups.setdefault((Path(path).parent, "." + Path(path).name.partition(".")[2]), []).append(path)
    for (parent, ending), some in sorted(groups.items()):
        safe = shlex.quote(f"{parent}/{ending}") == f"{parent}/{ending}"
        if len(some) > MANY and safe and _matching(parent, f"*{ending}") == {Path(path).name for path in some}:
            yield f"{parent}/*{ending}"
        else:
            yield from map(shlex.quote, some)


def _matching(parent: Path, pattern: str) -> set[str]:
    return {one.name for one in parent.iterdir() if fnmatchcase(one.name, pattern)} if parent.is_dir() else set()
