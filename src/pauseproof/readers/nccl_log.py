"""Logs of NCCL (NCCL_DEBUG=INFO): the messages that tell where data goes, each with the process that wrote it.

A line is ``HOST:PID:TID [DEVICE] NCCL INFO MESSAGE``, with a time or the mark of a launcher before it; other lines are left
alone. One file may hold one process, or all of them. The subsystems INIT, NET and GRAPH are needed for rings, trees, NICs and
QPs, and TUNING for sizes (NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH,TUNING).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.nccl_lines import Message, branches_of, message_of
from pauseproof.readers.problems import Problems, numbered_lines
from pauseproof.readers.source import Source

NAME = "NCCL log"
_LINE = re.compile(rb"(?:^|[\s>\])]:?)([\w.-]{1,255}):(\d{1,10}):(\d{1,10}) \[-?\d+\] NCCL INFO (.*)")
_ANY = re.compile(rb"\w:\d+:\d+ \[-?\d+\] NCCL (?:INFO|WARN|TRACE) ")


class Process(NamedTuple):
    """A process of a job; ``host`` as NCCL writes it, up to the first dot."""

    host: str
    pid: int


class Said(NamedTuple):
    """A message, which process and thread wrote it, and where it stands."""

    process: Process
    thread: int
    message: Message
    place: Place


def matches(head: bytes) -> bool:
    """Does a file that begins like this hold lines of NCCL?

    >>> matches(b"gpu1:7:7 [0] NCCL INFO Bootstrap : Using eth0")
    True
    """
    return _ANY.search(head) is not None


def read(source: Source) -> tuple[Said, ...]:
    """The messages of one file, in its order. Raises BadInput where one is damaged, or where there is no line of NCCL."""
    problems = Problems(source.path)
    said = tuple(_messages(source, problems))
    problems.raise_any()
    if not said:
        wanted = "NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH,TUNING"
        raise BadInput.at(Place(source.path), f"has no line of NCCL that tells where data goes; expected a log with {wanted}")
    return said


def _messages(source: Source, problems: Problems) -> Iterator[Said]:
    known: dict[tuple[bytes, bytes], Process] = {}
    for number, line in numbered_lines(source, problems):
        found = _LINE.search(line)
        if found is None:
            continue
        host, pid, thread, text = found.groups()
        process = known.setdefault((host, pid), Process(host.decode("ascii", "replace"), int(pid)))
        place = Place(source.path, number)
        try:
            for message in _read(text.decode("utf-8", "replace")):
                yield Said(process, int(thread), message, place)
        except ValueError as error:
            problems.add(number, str(error))


def _read(text: str) -> Iterator[Message]:
    if text.startswith("Trees"):
        yield from branches_of(text)
    elif (message := message_of(text)) is not None:
        yield message
