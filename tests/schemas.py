"""The schemas of docs/schema, which refer to each other by file name."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).resolve().parents[1] / "docs/schema"


def schema(name: str) -> Any:
    """The schema in ``name``.schema.json."""
    return json.loads((FOLDER / f"{name}.schema.json").read_text("utf-8"))


def validate(document: Any, name: str) -> None:
    """Raises jsonschema.ValidationError where the document does not follow the schema."""
    registry: Any = Registry().with_resource("report.schema.json", Resource.from_contents(schema("report")))
    Draft202012Validator(schema(name), registry=registry).validate(document)
