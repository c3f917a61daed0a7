"""The kinds of repair by name. Each is a module of this folder (:class:`~pauseproof.repair.alternative.Kind`)."""

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pauseproof.repair.alternative import Kind

KINDS = {
    "routes": "move or withdraw the fewest routes",
    "turns": "forbid the fewest turns, and route around them",
    "withdraw": "where packets come down and go up again, withdraw the fewest routes",
    "lanes": "fewest virtual lanes, with a service level for each path",
    "raises": "fewest lossless classes, a packet's class rising at turns such as bounces",
    "lossy": "fewest turns at which packets of a class become lossy",
}


def kind(name: str) -> "Kind":
    """The module of a kind."""
    return cast("Kind", import_module(f"pauseproof.repair.{name.replace('-', '_')}"))
