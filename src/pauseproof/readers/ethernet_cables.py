"""The cables of all Ethernet cabling files of one fabric: statements that agree are one cable, the rest becomes remarks.

Where two cables want one port, what was observed (LLDP) counts before what was declared, what more files say before what
fewer say, and the first before the others. A file that plans two cables at one port is refused. Two switches that each claim
the same port of a host, in files of one format, are the two arms of one Y-cable: the host has a port at the end of each.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pauseproof.fabric.places import Place, Problem, Remark
from pauseproof.fabric.problems import MOST, refuse_if
from pauseproof.readers.ethernet_names import SPEAK_IN_ALIASES, End, Names
from pauseproof.readers.roce_records import CableRecords


class Statement(NamedTuple):
    """One row of one file; ``file`` is its index among the records."""

    file: int
    line: int
    speed: float
    length: float


@dataclass
class Cable:
    """A cable between two ports, and who says so; ``ends`` in ascending order."""

    ends: tuple[End, End]
    said: list[Statement]

    @property
    def files(self) -> frozenset[int]:
        """The files that state it."""
        return frozenset(one.file for one in self.said)

    def far(self, end: End) -> End:
        """The other end."""
        return self.ends[1] if end == self.ends[0] else self.ends[0]


def words(end: End) -> str:
    """A port as the user knows it."""
    return f"port {end[1]} of {end[0]!r}"


def stated_cables(records: Sequence[CableRecords], names: Names) -> list[Cable]:
    """Every cable that any file states, in the order of the first statements. Raises BadInput for ports planned twice."""
    cables: dict[tuple[End, End], Cable] = {}
    problems: list[Problem] = []
    for file, record in enumerate(records):
        taken: dict[End, tuple[tuple[End, End], int]] = {}
        for ends, said in _rows(file, record, names):
            cables.setdefault(ends, Cable(ends, [])).said.append(said)
            for end in ends if record.declared else ():
                first, line = taken.setdefault(end, (ends, said.line))
                if first != ends:
                    here, there = (words(both[1] if both[0] == end else both[0]) for both in (ends, first))
                    message = f"{words(end)} is cabled twice: here to {here}, in line {line} to {there}; a port has one cable"
                    problems.append(Problem(Place(record.file, said.line), message))
            if ends[0] == ends[1]:
                problems.append(Problem(Place(record.file, said.line), f"{words(ends[0])} is cabled to itself"))
    refuse_if(problems)
    return list(cables.values())


def _rows(file: int, record: CableRecords, names: Names) -> Iterator[tuple[tuple[End, End], Statement]]:
    a_alias, b_alias = SPEAK_IN_ALIASES.get(record.format, (False, False))
    numbers = zip(record.line.tolist(), record.speed.tolist(), record.length.tolist(), strict=True)
    ports = zip(record.a_device, record.a_port, record.b_device, record.b_port, strict=True)
    for (a_device, a_port, b_device, b_port), (line, speed, length) in zip(ports, numbers, strict=True):
        a, b = names.end(a_device, a_port, alias_first=a_alias), names.end(b_device, b_port, alias_first=b_alias)
        yield (min(a, b), max(a, b)), Statement(file, line, speed, length)


def agreed_cables(
    cables: Sequence[Cable], records: Sequence[CableRecords], switches: Collection[str]
) -> tuple[list[Cable], list[Remark]]:
    """The cables that can all be there at once, and a remark for each that cannot, or that a file lacks."""
    kept: list[Cable] = []
    holder: dict[End, Cable] = {}
    lost: list[tuple[Cable, Cable, End]] = []
    for cable in sorted(cables, key=lambda one: _rank(one, records)):
        rivals = [(holder[end], end) for end in cable.ends if end in holder]
        if len(rivals) == 1 and _is_other_arm(cable, *rivals[0], records, switches):
            cable = _arm(cable, rivals[0][1], holder)
        elif rivals:
            lost.append((rivals[0][0], cable, rivals[0][1]))
            continue
        kept.append(cable)
        holder.update(dict.fromkeys(cable.ends, cable))
    remarks = [_disagreement(*one, records) for one in lost]
    disputed = {one.ends for pair in lost for one in pair[:2]}
    remarks += _only_in_one([cable for cable in kept if cable.ends not in disputed], records)
    return sorted(kept, key=lambda one: one.ends), remarks


def _rank(cable: Cable, records: Sequence[CableRecords]) -> tuple[bool, int, Statement]:
    declared = all(records[file].declared for file in cable.files)
    return declared, -len(cable.files), cable.said[0]


def _is_other_arm(cable: Cable, holder: Cable, end: End, records: Sequence[CableRecords], switches: Collection[str]) -> bool:
    """Whether two switches each have a cable to the same port of a host, told by different files of one format."""
    near, far = cable.far(end)[0], holder.far(end)[0]
    formats = {records[file].format for file in cable.files | holder.files}
    at_a_host = end[0] not in switches and near in switches and far in switches and near != far
    return at_a_host and len(formats) == 1 and not cable.files & holder.files


def _arm(cable: Cable, end: End, taken: Collection[End]) -> Cable:
    port, number = end[1], 2
    while (end[0], f"{port}#{number}") in taken:
        number += 1
    arm = (end[0], f"{port}#{number}")
    near = cable.far(end)
    return Cable((min(arm, near), max(arm, near)), cable.said)


def _place(cable: Cable, records: Sequence[CableRecords]) -> Place:
    return Place(records[cable.said[0].file].file, cable.said[0].line)


def _disagreement(kept: Cable, lost: Cable, end: End, records: Sequence[CableRecords]) -> Remark:
    one, other = _place(kept, records), _place(lost, records)
    observed = not records[kept.said[0].file].declared
    why = "what was observed counts" if observed and records[lost.said[0].file].declared else "the first counts"
    message = (
        f"{words(end)} is cabled to {words(kept.far(end))} in {one.file}, to {words(lost.far(end))} in {other.file}; {why}"
    )
    return Remark("cabling-disagreement", message, "/".join(end), (one, other))


def _only_in_one(cables: Sequence[Cable], records: Sequence[CableRecords]) -> list[Remark]:
    """A remark for each cable that some file lacks of those that claim to hold every cable; MOST for each set of files."""
    whole = frozenset(file for file, record in enumerate(records) if record.whole)
    by_files: dict[tuple[int, ...], list[Cable]] = defaultdict(list)
    for cable in cables:
        if cable.files & whole and not whole <= cable.files:
            by_files[tuple(sorted(cable.files & whole))].append(cable)
    out = []
    for files, some in sorted(by_files.items()):
        others = " and ".join(records[file].file for file in sorted(whole.difference(files)))
        for cable in some[:MOST]:
            message = f"the cable from {words(cable.ends[0])} to {words(cable.ends[1])} is not in {others}"
            about = " - ".join("/".join(end) for end in cable.ends)
            out.append(Remark("cabling-only-in-one", message, about, (_place(cable, records), Place(others))))
        if len(some) > MOST:
            here, more = " and ".join(records[file].file for file in files), len(some) - MOST
            message = f"{more} more cables of {here} are not in {others}"
            out.append(Remark("cabling-only-in-one", message, f"{more} more cables", (Place(here), Place(others))))
    return out
