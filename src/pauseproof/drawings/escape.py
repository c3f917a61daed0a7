"""Names in dot source. The grammar: https://graphviz.org/doc/info/lang.html, escString: https://graphviz.org/docs/attr-types/escString/.

A name may hold anything. In a quoted label a backslash starts an escape, ``&`` an HTML entity and ``"`` ends the label;
line ends and control characters would break the source or the SVG. Node ids are numbers we choose, never names.
"""

from pauseproof.reports.words import printable

LONGEST = 36  # characters of a name in a drawing; the whole name is in the tooltip


def quoted(text: str) -> str:
    r"""``text`` as a dot string that shows exactly these characters.

    >>> print(quoted('a"b\\c<d>&'))
    "a\"b\\c<d>&amp;"
    """
    safe = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{safe}"'


def label(*lines: str) -> str:
    r"""Several lines, centred, as one dot string.

    >>> print(label("port 1 → 2", "VL 0"))
    "port 1 → 2\nVL 0"
    """
    return '"' + "\\n".join(quoted(text)[1:-1] for text in lines) + '"'


def shortened(name: str) -> str:
    """A long name without its middle: both ends of a device name tell devices apart.

    >>> shortened("x" * 20 + "y" * 20)
    'xxxxxxxxxxxxxxxxxx…yyyyyyyyyyyyyyyyy'
    """
    name = printable(name)
    if len(name) <= LONGEST:
        return name
    head = LONGEST // 2
    return f"{name[:head]}…{name[-(LONGEST - head - 1) :]}"


def attributes(**values: str | float) -> str:
    """An attribute list; strings are dot strings already or plain words."""
    return "[" + ", ".join(f"{key}={value}" for key, value in values.items()) + "]"
