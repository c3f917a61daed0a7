"""Steps into JSON values of which nothing is certain: each gives an empty value where the shape is another."""

from typing import Any


def object_in(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text_in(value: Any) -> str:
    """A text or number as text, else nothing.

    >>> text_in(7), text_in(None)
    ('7', '')
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).strip()
