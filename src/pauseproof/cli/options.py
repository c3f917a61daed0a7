"""Arguments and options that several commands share."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pauseproof.cli.output import FORMATS
from pauseproof.findings.report import Severity

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
    click.option(
        "--adaptive",
        type=click.Choice(("committed", "reselecting")),
        help="What switches that pick a port by load do: fix it when they enqueue, or keep it open until the packet leaves.",
    ),
    click.option(
        "--endpoint-coupled",
        multiple=True,
        metavar="GLOB",
        help="Nodes of this name receive only while they can send: relays, SHARP nodes (repeatable).",
    ),
)


def fail_on_option(function: Function) -> Function:
    """From which severity on findings count for the exit code."""
    return click.option(
        "--fail-on",
        type=click.Choice([severity.value for severity in Severity]),
        default=Severity.ERROR.value,
        show_default=True,
        help="Exit 1 for findings of this severity and above.",
    )(function)


def report_options(function: Function) -> Function:
    """Which reports are written, and where: what :func:`pauseproof.cli.output.targets` takes."""
    for option in reversed(_REPORTS):
        function = option(function)
    return function


_REPORTS = (
    click.option("--format", "formats", type=click.Choice(FORMATS), multiple=True, help="Repeatable; default text."),
    click.option("--output", "outputs", metavar="FILE", multiple=True, help="Repeatable; written whole or not at all."),
)


def colour_option(function: Function) -> Function:
    """Plain text even on a terminal."""
    return click.option("--no-color", "no_colour", is_flag=True, help="Plain text, even on a terminal.")(function)


def typed_again(paths: Sequence[str], asked: Mapping[str, Any]) -> str:
    """The paths and the options of :func:`traffic_options` as they would be typed for another command; no other option.

    >>> typed_again(["my fabric"], {"traffic": "hosts+switches", "exclude": ("io*",), "all_on_sl": 0, "smallest": 5})
    "'my fabric' --traffic hosts+switches --exclude 'io*' --all-on-sl 0"
    """
    words = list(paths)
    for name in _TRAFFIC_WORDS:
        value = asked.get(name)
        values = value if isinstance(value, tuple) else () if value is None or value == _UNSAID.get(name) else (value,)
        words += [word for one in values for word in ("--" + name.replace("_", "-"), str(one))]
    return shlex.join(words)


_UNSAID = {"traffic": TRAFFICS[0]}
_TRAFFIC_WORDS = ("traffic", "only", "exclude", "all_on_sl", "adaptive", "endpoint_coupled")


def checked(paths: Sequence[str], asked: Mapping[str, Any]) -> "tuple[Network, Report]":
    """Read ``paths`` and verify them with the options of :func:`traffic_options`. Raises BadInput."""
    import pauseproof

    network = pauseproof.load(*paths)
    return network, pauseproof.verify(network, **asked)
