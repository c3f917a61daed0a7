"""A snapshot: the files of one moment of one fabric (or of several), each read by the reader that knows its format.

A folder is looked through one level deep, in the order of its names; what is not recognised there is skipped and listed.
A file that the user named is understood or refused. What is wrong with several files is said at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauseproof.fabric.places import BadInput, Place, Problem, Remark
from pauseproof.readers import registry, unmodelled
from pauseproof.readers.hints import beside, damaged_dump, seems_to_be
from pauseproof.readers.source import Source, open_source

if TYPE_CHECKING:  # the records of formats that a folder does not hold are not imported for it
    from pauseproof.readers.declared import Declarations
    from pauseproof.readers.records import (
        AdaptiveRecords,
        CablingRecords,
        ForwardingRecords,
        LaneMapRecords,
        LidRangeRecords,
        MulticastRecords,
        PathLabelRecords,
    )
    from pauseproof.readers.roce_records import (
        AddressRecords,
        CableRecords,
        ConfigDb,
        NextHopRecords,
        RouteRecords,
        SysctlRecords,
    )

_GROUP_OF = {  # by the name of the record's class
    "CablingRecords": "cabling",
    "ForwardingRecords": "forwarding",
    "LaneMapRecords": "lane_maps",
    "PathLabelRecords": "path_labels",
    "MulticastRecords": "multicast",
    "LidRangeRecords": "lid_ranges",
    "AdaptiveRecords": "adaptive",
    "CableRecords": "cables",
    "RouteRecords": "routes",
    "NextHopRecords": "nexthops",
    "AddressRecords": "addresses",
    "ConfigDb": "configs",
    "SysctlRecords": "sysctls",
    "Declarations": "declarations",
}


@dataclass(frozen=True)
class InputFile:
    """One file that was read (``format`` says as what) or skipped (``skipped`` says why).

    ``source`` is there only where the file cannot be opened again: a thousand files at once would be too many.
    """

    path: str
    source: Source | None = field(repr=False, compare=False)
    format: str = ""
    skipped: str = ""

    @cached_property
    def sha256(self) -> str:
        """The digest of the file as it lies on disk, computed when first asked for. Raises BadInput where it is gone."""
        return (self.source or open_source(self.path)).sha256


@dataclass(frozen=True)
class Snapshot:
    """Everything that was read, by kind, in the order of the inputs. ``native`` holds the YAML topologies."""

    inputs: tuple[InputFile, ...] = ()
    cabling: "tuple[CablingRecords, ...]" = ()
    forwarding: "tuple[ForwardingRecords, ...]" = ()
    lane_maps: "tuple[LaneMapRecords, ...]" = ()
    path_labels: "tuple[PathLabelRecords, ...]" = ()
    multicast: "tuple[MulticastRecords, ...]" = ()
    lid_ranges: "tuple[LidRangeRecords, ...]" = ()
    adaptive: "tuple[AdaptiveRecords, ...]" = ()
    cables: "tuple[CableRecords, ...]" = ()
    routes: "tuple[RouteRecords, ...]" = ()
    nexthops: "tuple[NextHopRecords, ...]" = ()
    addresses: "tuple[AddressRecords, ...]" = ()
    configs: "tuple[ConfigDb, ...]" = ()
    sysctls: "tuple[SysctlRecords, ...]" = ()
    declarations: "tuple[Declarations, ...]" = ()
    native: tuple[Any, ...] = ()
    remarks: tuple[Remark, ...] = ()


def read_snapshot(paths: Sequence[str | Path]) -> Snapshot:
    """Read folders, files, and ``-`` (stdin); ``.gz`` is unpacked on the way.

    Raises BadInput, with the problems of all files, where a path is missing, a named file is not understood, a recognised
    one is not what it seems, or a folder holds nothing that is recognised.
    """
    reading = _Reading()
    for path in paths:
        reading.take(str(path))
    if not paths:
        reading.problems.append(Problem(Place("(no input)"), f"nothing to check; {_expected()}"))
    if reading.problems:
        raise BadInput(reading.problems)
    return reading.snapshot()


class _Reading:
    """What was read so far, and what was wrong with it."""

    def __init__(self) -> None:
        self.inputs: list[InputFile] = []
        self.records: list[Any] = []
        self.problems: list[Problem] = []
        self.recognised: dict[Path | str, bool] = {}  # by resolved path; refused files count as recognised

    def take(self, path: str) -> None:
        """A path as the user wrote it."""
        if path in ("", "-") or not Path(path).is_dir():
            self.take_file(path, named=True)
            return
        try:
            names = sorted(entry.name for entry in Path(path).iterdir())
        except OSError as error:
            self.problems.append(Problem(Place(path), f"cannot be read: {error.strerror or error}"))
            return
        before = len(self.inputs)
        files = [name for name in names if (Path(path) / name).is_file() and not name.startswith(".")]
        for name in names:
            if name not in files and not name.startswith(".") and (holds := damaged_dump(name, b"")):
                said = f"going by its name this is {holds}, but it is no file that can be read; expected a dump"
                self.problems.append(Problem(Place(str(Path(path) / name)), said))
        if not sum(self.take_file(str(Path(path) / name), named=False) for name in files):
            self.problems.append(Problem(Place(path), _nothing_in(path, names, self.inputs[before:])))

    def take_file(self, path: str, *, named: bool) -> bool:
        """One file, once; unknown ones are refused where the user named them. Was it recognised?"""
        key = path if path == "-" else Path(path).resolve()
        if self.recognised.get(key) is None or (named and not self.recognised[key]):
            self.recognised[key] = True
            try:
                source = open_source(path)
                self.inputs.append(self.read(source, named=named))
                self.recognised[key] = bool(self.inputs[-1].format)
            except BadInput as error:
                self.problems.extend(error.problems)
        return self.recognised[key]

    def read(self, source: Source, *, named: bool) -> InputFile:
        """Read a file by the reader that knows it, or say why it is skipped."""
        if not named and (why := beside(Path(source.path).name)):
            return InputFile(source.path, _kept(source), skipped=why)
        by_name = unmodelled.matches_name(source.path)
        reader = registry.reader("unmodelled") if by_name else registry.reader_for(source.head)
        if reader is not None and reader.NAME == unmodelled.NAME and not named and unmodelled.is_empty(source):
            return InputFile(source.path, _kept(source), skipped="it names no switch")
        if reader is None:
            why = seems_to_be(source.head)
            if not named and (holds := damaged_dump(Path(source.path).name, source.head)):
                raise BadInput.at(
                    Place(source.path),
                    f"going by its name or its lines this is {holds}, but {why}; expected a whole dump"
                    " (to leave the file out on purpose, name the other files one by one)",
                )
            if named:
                expected = "" if "expected" in why else f"; {_expected_one()}"
                raise BadInput.at(Place(source.path), f"not understood: {why}{expected}")
            return InputFile(source.path, _kept(source), skipped=why)
        found = reader.read(source)
        self.records.extend(found if isinstance(found, tuple) else (found,))
        return InputFile(source.path, _kept(source), format=reader.NAME)

    def snapshot(self) -> Snapshot:
        """The records by kind."""
        groups: dict[str, list[Any]] = {}
        for record in self.records:
            groups.setdefault(_GROUP_OF.get(type(record).__name__, "native"), []).append(record)
        remarks = tuple(remark for record in self.records for remark in getattr(record, "remarks", ()))
        together = {name: tuple(records) for name, records in groups.items()}
        return Snapshot(inputs=tuple(self.inputs), remarks=remarks, **together)


def _kept(source: Source) -> Source | None:
    return source if isinstance(source.raw, bytes) else None


def _nothing_in(path: str, names: Sequence[str], files: Sequence[InputFile]) -> str:
    said = f"nothing to check in this folder: {_expected()}"
    if files:
        skipped = "1 file was skipped:" if len(files) == 1 else f"{len(files)} files were skipped, such as"
        said += f"; {skipped} {Path(files[0].path).name} ({files[0].skipped})"
    if folders := [name for name in names if (Path(path) / name).is_dir() and not name.startswith(".")]:
        said += f"; folders in it are not looked into: {', '.join(folders[:5])}"
    return said


def _expected() -> str:
    cabling, tables = registry.names(registry.CABLING + registry.CABLES), registry.names(registry.TABLES + registry.ROUTES)
    return f"expected cabling ({cabling}) and tables ({tables}), or a topology in YAML"


def _expected_one() -> str:
    modules = registry.CABLING + registry.CABLES + registry.TABLES + registry.ROUTES + registry.ADDRESSES + registry.LABELS
    return f"expected one of: {registry.names(modules)}, a topology in YAML"
