"""What a file that no reader knows seems to be: the reason why it is skipped, or the hint in the refusal."""

import re

from pauseproof.readers.problems import first_lines

# Files that OpenSM writes beside the ones that are read, and what they hold.
_BESIDES = {
    "opensm-lid-matrix.dump": "hop counts, which are not needed",
    "opensm-peer-paths.dump": "path records between a host and its switch, which are not needed",
    "opensm-sw2sw-path-records.dump": "path records of switch pairs; opensm-path-records.dump has every pair",
    "opensm-updn-roots.dump": "the roots that a routing engine found, which are not needed",
    "opensm-ftree-ca-order.dump": "the order of hosts for MPI, which is not needed",
    "opensm-sa.dump": "records of the subnet administration, which are not needed",
    "neighbors": "OpenSM's own record of neighbours, which is not needed",
}

# Names that OpenSM and ibdiagnet give to what is read, by their ends, and what a file of that name holds.
_DUMPS = {
    ".fdbs": "forwarding tables",
    "opensm-lfts.dump": "forwarding tables",
    ".far": "adaptive forwarding tables",
    ".mcfdbs": "multicast tables",
    "opensm-sl2vl.dump": "SL-to-VL tables",
    ".slvl": "SL-to-VL tables",
    ".psl": "path SLs",
    "opensm-path-records.dump": "path SLs",
    "guid2lid": "LIDs",
    ".lst": "cabling",
    ".ibnetdiscover": "cabling",
    ".db_csv": "cabling",
    "pauseproof.yaml": "declarations",
    "pauseproof.yml": "declarations",
}
_MAY_BE_EMPTY = (".mcfdbs",)  # nobody joined a multicast group
_DUMP_LINE = re.compile(
    rb"^(?:(?:osm_ucast_mgr_)?dump_ucast_routes: Switch 0x|Unicast lids |\d+ (?:valid )?lids dumped|START_(?:NODES|PORTS|LINKS)"
    rb"|LID +: (?:Port|Out Port)|#in out :|# LID +: SL :|(?:switch|ca|rt)guid=0x|LFT Definition:)",
    re.MULTILINE,
)

_LOG_LINE = re.compile(
    rb"-[IWE]- "
    rb"|\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d)[ T:,.\]]"
    rb"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d"
)
_BGP = re.compile(rb'"(?:tableVersion|localAS|bgpRouteEntries|defaultLocPrf)"\s*:')
_ROUTES_AS_TEXT = (b"codes: k - kernel", b"codes: c - connected")
_PLAIN = frozenset(range(32, 127)) | set(b"\t\n\r\f") | frozenset(range(128, 256))


def beside(name: str) -> str:
    """What a file of this name holds, where it is one that is known and left alone; else nothing.

    >>> beside("opensm-lid-matrix.dump.gz")
    'hop counts, which are not needed'
    """
    return _BESIDES.get(name.removesuffix(".gz"), "")


def damaged_dump(name: str, head: bytes) -> str:
    """What a file that no reader knows was meant to hold, going by its name or by lines further on; else nothing.

    Such a file is never skipped: a verdict without what it lost could be wrong.

    >>> damaged_dump("opensm-sl2vl.dump", b"3 1 : 0 0 0")
    'SL-to-VL tables'
    >>> damaged_dump("opensm.mcfdbs", b"")
    ''
    """
    ends = [end for end in _DUMPS if name.lower().removesuffix(".gz").endswith(end)]
    if ends and (head.strip() or ends[0] not in _MAY_BE_EMPTY):
        return _DUMPS[ends[0]]
    if _DUMP_LINE.search(head) and not any(_LOG_LINE.match(line) for line in first_lines(head, 5)):
        return "a dump"
    return ""


def seems_to_be(head: bytes) -> str:
    """In a few words, what a file that begins like this may be.

    >>> seems_to_be(b"<!DOCTYPE html>")
    'it seems to be a web page'
    >>> seems_to_be(b"hello")
    'its first line is not of any format that is read'
    """
    if not head.strip():
        return "it is empty"
    if head.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark; save it as plain UTF-8"
    if not _PLAIN.issuperset(head):
        return "it seems to be a binary file"
    lines = first_lines(head, 5)
    start = lines[0].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "it seems to be a web page"
    if start.startswith(b"<"):
        return "it seems to be XML"
    if start.startswith(b"{") and _BGP.search(head):
        return "it is a table of BGP routes, not a forwarding table; expected the output of show ip route json"
    if start.startswith(_ROUTES_AS_TEXT):
        return "it is a routing table as text; expected the same as JSON: show ip route json"
    if start.startswith((b"{", b"[")) and not start.startswith((b"{ ca", b"{ sw", b"[1]")):
        return "it seems to be JSON"
    if any(_LOG_LINE.match(line) for line in lines):
        return "it seems to be a log"
    return "its first line is not of any format that is read"
