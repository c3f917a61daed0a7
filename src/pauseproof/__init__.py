"""pauseproof: decides from cabling and forwarding tables whether a lossless fabric can deadlock.

``pauseproof.verify(pauseproof.load(path))`` is the whole library in a line.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pauseproof.library import load, prove, verify

__version__ = "0.1.0"
__all__ = ["__version__", "load", "prove", "verify"]


def __getattr__(name: str) -> object:
    """Import the library only when it is used: ``pauseproof --help`` needs none of it."""
    if name in {"load", "prove", "verify"}:
        from importlib import import_module

        return getattr(import_module("pauseproof.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
