"""Small documents for programs: the same head for each, and the same bytes for the same facts."""

import json
from typing import Any

from pauseproof import __version__
from pauseproof.reports.json import SCHEMA_VERSION


def document(**facts: Any) -> dict[str, Any]:
    """The facts below the schema's version and the tool's.

    >>> list(document(source_port=49730))
    ['schema_version', 'tool', 'source_port']
    """
    return {"schema_version": SCHEMA_VERSION, "tool": {"name": "pauseproof", "version": __version__}, **facts}


def rendered(facts: dict[str, Any]) -> str:
    """JSON text, two spaces deep, ASCII only, with a line end."""
    return json.dumps(facts, indent=2, allow_nan=False) + "\n"
