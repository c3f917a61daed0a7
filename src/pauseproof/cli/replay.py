"""``pauseproof replay``: run the packets of a loop through a model of the fabric and tell whether they stop for good."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pauseproof.cli.draw import format_of
from pauseproof.cli.duration import DURATION
from pauseproof.cli.options import colour_option, paths_argument, report_options, traffic_options
from pauseproof.cli.output import STDOUT, deliver, refuse_same_file, targets, write
from pauseproof.findings.outcome import CLEAN, FOUND

if TYPE_CHECKING:
    from pauseproof.findings.replayed import ReplayReport

HELP = """Run the packets of a loop through a packet-level model of the fabric.

Each dependency of the loop is loaded with the packets that carry it. Every arbitration is tried, with no trigger, with
receivers that pause for a while, and with an incast through the loop. A run is frozen when a set of buffers provably never
moves again; it recovers when the loop was paused all round and went on; else it runs. It is a model of the mechanism, not a
measurement: runs that do not freeze prove nothing. docs/replay.md tells what the model is.

--flows takes the traffic from a file, and disturbs it by nothing; --trigger, --for and --at choose a receiver that pauses.

Exit 1 where a run froze, 0 where none did, 2 where there is nothing to replay.

\b
Examples:
  pauseproof replay topologies/ring3-one-way.yaml
  pauseproof replay topologies/ring3-one-way.yaml --trigger s2-h0 --for 100us --format json
  pauseproof replay topologies/opensm/ring5_minhop --loop 2 --draw frozen.svg --chart occupancy.svg
  pauseproof replay topologies/hotnets-four-switches.yaml --flows topologies/flows/hotnets-three.yaml --arbitration fifo
"""

ARBITRATIONS = ("fifo", "round-robin", "random")


@click.command(help=HELP, short_help="Run the packets of a loop through a model and see whether they stop.")
@paths_argument
@click.option("--loop", metavar="N|ID", default="1", show_default=True, help="A loop's number or id in the report.")
@click.option("--flows", "flow_file", metavar="FILE", help="Send these flows instead of the packets of the loop.")
@click.option("--trigger", "paused", metavar="HOST", multiple=True, help="This receiver pauses; several do so at once.")
@click.option("--for", "length", type=DURATION, metavar="TIME", help="For how long a trigger lasts, such as 100us.")
@click.option("--at", "start", type=DURATION, metavar="TIME", help="When a trigger starts.")
@click.option("--until", "until", type=DURATION, metavar="TIME", help="When a run ends that has not frozen.")
@click.option("--arbitration", "arbitrations", type=click.Choice(ARBITRATIONS), multiple=True, help="Only this (repeatable).")
@click.option("--seeds", type=click.IntRange(1, 1000), default=2, show_default=True, help="How many seeds are tried.")
@click.option("--packet", type=click.IntRange(64, 65536), metavar="BYTES", help="Bytes of a packet (4096).")
@click.option("--xoff", type=click.IntRange(1, 10**6), metavar="PACKETS", help="A buffer asks for a pause (16).")
@click.option("--xon", type=click.IntRange(0, 10**6), metavar="PACKETS", help="It ends the pause (2).")
@click.option("--credits", type=click.IntRange(1, 10**6), metavar="PACKETS", help="Room of an InfiniBand buffer (16).")
@click.option(
    "--ttl", type=click.IntRange(1, 255), metavar="HOPS", help="Hops until a packet is dropped (64; InfiniBand: never)."
)
@click.option("--watchdog", type=DURATION, metavar="TIME", help="A queue that is paused so long loses its packets.")
@click.option("--hoq", type=DURATION, metavar="TIME", help="A packet that heads its queue so long is lost.")
@click.option("--draw", "picture", metavar="FILE", help="Draw the frozen state: svg, png, pdf or dot by its name.")
@click.option("--chart", metavar="FILE", help="Draw what the buffers hold over time, to a .svg.")
@traffic_options
@report_options
@colour_option
def command(
    paths: tuple[str, ...],
    flow_file: str | None,
    picture: str | None,
    chart: str | None,
    formats: tuple[str, ...],
    outputs: tuple[str, ...],
    no_colour: bool,
    **options: Any,
) -> int:
    """Replay."""
    from pauseproof.reports.replay import render_replay, replay_lines

    wanted = targets(formats, outputs)
    refuse_same_file(picture, chart, *(target.path for target in wanted))
    if picture is not None:
        format_of(picture)
    if chart is not None and chart != STDOUT and Path(chart).suffix.lower() != ".svg":
        raise click.UsageError(f"--chart {chart} ends in no format that is written: svg")
    report = _replayed(paths, flow_file, options)
    _drawn(report, picture, chart)
    deliver(wanted, lambda: replay_lines(report), lambda: render_replay(report), no_colour=no_colour)
    return FOUND if report.replay.outcome == "frozen" else CLEAN


_MODEL = ("packet", "xoff", "xon", "credits", "ttl", "watchdog", "hoq")
_WISHES = ("loop", "paused", "start", "length", "until", "arbitrations", "seeds")


def _replayed(paths: tuple[str, ...], flow_file: str | None, options: dict[str, Any]) -> "ReplayReport":
    """Read, judge, replay; options that are neither the model's nor wishes are about traffic."""
    import pauseproof
    from pauseproof.findings.replay_asked import Wish, settings_with
    from pauseproof.library import replays

    model = {name: options.pop(name) for name in _MODEL}
    wishes = {name: options.pop(name) for name in _WISHES}
    wishes["arbitrations"] = tuple(dict.fromkeys(wishes["arbitrations"])) or ARBITRATIONS
    network = pauseproof.load(*paths)
    return replays(network, Wish(**wishes), settings_with(network, **model), flow_file=flow_file, **options)


def _drawn(report: "ReplayReport", picture: str | None, chart: str | None) -> None:
    """The pictures, of the first run of the worst outcome."""
    from pauseproof.drawings.chart import svg
    from pauseproof.drawings.replayed import frozen_picture, occupancy

    run = report.replay.shown
    if picture is not None and run.outcome != "frozen":
        print(f"no run froze, so {picture} is not drawn", file=sys.stderr)
    elif picture is not None:
        from pauseproof.drawings.dot import loop_dot
        from pauseproof.drawings.render import CannotDraw, render

        dot = loop_dot(frozen_picture(report, run))
        try:
            write(picture, render(dot.source, dot.engine, format_of(picture)))
        except CannotDraw as error:
            raise click.ClickException(str(error)) from error
    if chart is not None:
        write(chart, svg(occupancy(report, run)).encode())
