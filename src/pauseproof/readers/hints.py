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

_LOG_LINE = re.compile(
    rb"-[IWE]- "
    rb"|\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d)[ T:,.\]]"
    rb"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d"
)
_PLAIN = frozenset(range(32, 127)) | set(b"\t\n\r\f") | frozenset(range(128, 256))


def beside(name: str) -> str:
    """What a file of this name holds, where it is one that is known and left alone; else nothing.

    >>> beside("opensm-lid-matrix.dump.gz")
    'hop counts, which are not needed'
    """
    return _BESIDES.get(name.removesuffix(".gz"), "")


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
    if start.startswith((b"{", b"[")) and not start.startswith((b"{ ca", b"{ sw", b"[1]")):
        return "it seems to be JSON"
    if any(_LOG_LINE.match(line) for line in lines):
        return "it seems to be a log"
    return "its first line is not of any format that is read"
