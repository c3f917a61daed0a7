"""Documents for programs: the same head for each, and the same bytes for the same facts."""

import json
from collections.abc import Iterable
from typing import Any

from pauseproof import __version__
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import Place
from pauseproof.findings.report import Input
from pauseproof.reports.words import encodable

SCHEMA_VERSION = 1
Json = dict[str, Any]


def document(**facts: Any) -> Json:
    """The facts below the schema's version and the tool's.

    >>> list(document(source_port=49730))
    ['schema_version', 'tool', 'source_port']
    """
    return {"schema_version": SCHEMA_VERSION, "tool": {"name": "pauseproof", "version": __version__}, **facts}


def rendered(facts: Json) -> str:
    """JSON text, two spaces deep, ASCII only, with a line end."""
    return json.dumps(facts, indent=2, allow_nan=False) + "\n"


def inputs_json(inputs: Iterable[Input]) -> list[Json]:
    """The files that were read or skipped, by path."""
    return [_input(entry) for entry in sorted(inputs, key=lambda entry: entry.path)]


def _input(entry: Input) -> Json:
    out: Json = {"path": encodable(entry.path), "sha256": entry.sha256, "format": entry.format}
    if entry.skipped:
        out["skipped"] = encodable(entry.skipped)
    return out


def link_json(fabric: Fabric, link: int) -> Json:
    """Both ends of a link."""
    view = fabric.link(link)
    return {
        "from": encodable(fabric.node_name[view.src]),
        "from_port": encodable(fabric.port_name(view.src, view.src_port)),
        "to": encodable(fabric.node_name[view.dst]),
        "to_port": encodable(fabric.port_name(view.dst, view.dst_port)),
    }


def place_json(place: Place | None) -> Json:
    """A place as two keys, none where it is not known."""
    return {"file": encodable(place.file), "line": place.line} if place else {}
