"""Values of a job description: those of forms, by key and with a default, and sizes in bytes."""

from collections.abc import Mapping as MappingOf

from pauseproof.readers.forms import Form
from pauseproof.readers.measures import bytes_of
from pauseproof.readers.yaml_tree import Node, Scalar


def whole_number(form: Form, given: MappingOf[str, Node], key: str, least: int, most: int, default: int) -> int:
    """A whole number, ``default`` where the key is not there."""
    return form.integer(given[key], key, least, most) if key in given else default


def choice_of(form: Form, given: MappingOf[str, Node], key: str, legal: tuple[str, ...]) -> str:
    """One of the legal words, the first where the key is not there."""
    return form.choice(given[key], key, legal) if key in given else legal[0]


def truth(form: Form, given: MappingOf[str, Node], key: str, default: bool) -> bool:
    """true or false, ``default`` where the key is not there."""
    return form.choice(given[key], key, ("true", "false")) == "true" if key in given else default


def size(form: Form, node: Node, what: str, least: float = 0.0) -> float:
    """A number of bytes."""
    text = form.text(node, what)
    try:
        size = bytes_of(text) if isinstance(node, Scalar) else least
    except ValueError as error:
        form.wrong(node.place, f"{what}: {error}")
        return least
    if size < least:
        form.wrong(node.place, f"{what} must be at least {least:g} bytes, found {text!r}")
    return size
