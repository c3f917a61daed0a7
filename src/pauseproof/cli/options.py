"""Arguments and options that several commands share."""

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pauseproof.findings.report import Report
    from pauseproof.routing.network import Network

Function = TypeVar("Function", bound=Callable[..., Any])

TRAFFICS = ("hosts", "hosts+switches", "hosts+aggregation")


def paths_argument(function: Function) -> Function:
    """One or more files or folders; ``-`` is stdin."""
    return click.argument("paths", nargs=-1, required=True, metavar="PATH...")(function)


def traffic_options(function: Function) -> Function:
    """Who sends: what the verdict is about."""
    for option in reversed(_TRAFFIC):
        function = option(function)
    return function


_TRAFFIC = (
    click.option(
        "--traffic",
        type=click.Choice(TRAFFICS),
        default="hosts",
        show_default=True,
        help="Who sends: hosts only, or switches (their port 0) or SHARP aggregation nodes as well.",
    ),
    click.option("--only", multiple=True, metavar="GLOB", help="Only hosts of this name send and receive (repeatable)."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Hosts of this name do not (repeatable)."),
    click.option(
        "--all-on-sl",
        type=click.IntRange(0, 15),
        metavar="N",
        help="Every packet is on SL N, whatever the path records say: applications that do not ask for the SL.",
    ),
)


def colour_option(function: Function) -> Function:
    """Plain text even on a terminal."""
    return click.option("--no-color", "no_colour", is_flag=True, help="Plain text, even on a terminal.")(function)


def typed_again(paths: Sequence[str], traffic: str, only: Sequence[str], exclude: Sequence[str], all_on_sl: int | None) -> str:
    """The paths and the options of :func:`traffic_options` as they would be typed for another command.

    >>> typed_again(["my fabric"], "hosts+switches", (), ("io*",), 0)
    "'my fabric' --traffic hosts+switches --exclude 'io*' --all-on-sl 0"
    """
    words = list(paths)
    words += [] if traffic == TRAFFICS[0] else ["--traffic", traffic]
    words += [word for glob in only for word in ("--only", glob)]
    words += [word for glob in exclude for word in ("--exclude", glob)]
    words += [] if all_on_sl is None else ["--all-on-sl", str(all_on_sl)]
    return shlex.join(words)


def checked(
    paths: Sequence[str], traffic: str, only: Sequence[str], exclude: Sequence[str], all_on_sl: int | None
) -> "tuple[Network, Report]":
    """Read ``paths`` and verify them with the options of :func:`traffic_options`. Raises BadInput."""
    import pauseproof

    network = pauseproof.load(*paths)
    return network, pauseproof.verify(network, traffic=traffic, only=only, exclude=exclude, all_on_sl=all_on_sl)
