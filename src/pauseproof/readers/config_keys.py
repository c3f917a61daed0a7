"""Keys of SONiC's tables: one row that stands for several ports, and for a range of queues or priority groups."""

import re

from pauseproof.readers.problems import Problems

_BY_INDEX = ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE")  # port|index or port|first-last
_BY_PORT = ("PORT_QOS_MAP", "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST")
_RANGE = re.compile(r"([0-9]{1,2})(?:-([0-9]{1,2}))?")


def expanded(table: str, key: str, line: int, problems: Problems) -> tuple[str, ...]:
    """The keys that ``key`` stands for.

    >>> expanded("BUFFER_PG", "Ethernet0,Ethernet4|3-4", 1, Problems("a"))
    ('Ethernet0|3', 'Ethernet0|4', 'Ethernet4|3', 'Ethernet4|4')
    """
    if table in _BY_PORT:
        return tuple(key.split(","))
    if table not in _BY_INDEX:
        return (key,)
    ports, _, index = key.rpartition("|")
    found = _RANGE.fullmatch(index)
    if not ports or not found or int(found[2] or found[1]) < int(found[1]):
        problems.add(line, f"{table} key {key!r} is not understood; expected PORT|3 or PORT|3-4")
        return ()
    indices = range(int(found[1]), int(found[2] or found[1]) + 1)
    return tuple(f"{port}|{i}" for port in ports.split(",") for i in indices)
