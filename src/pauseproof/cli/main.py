"""The entry point: the group of commands, and the one place that decides messages and exit codes when something is wrong."""

import gc
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import click

from pauseproof import __version__
from pauseproof.cli.lazy import LazyGroup
from pauseproof.fabric.places import BadInput
from pauseproof.findings.outcome import REFUSED
from pauseproof.readers.source import pipes_read_once
from pauseproof.reports.words import printable, shortened

INTERRUPTED = 128 + 2  # as the shell counts SIGINT
READER_GONE = 128 + 13  # and SIGPIPE

COMMANDS = {
    "verify": "Decide whether the fabric can deadlock.",
    "prove": "Write a certificate that others can check.",
    "check": "Check a certificate without trusting the engine.",
    "replay": "Run the packets of a loop through a model and see whether they stop.",
    "repair": "Find changes that make the fabric provably safe.",
    "draw": "Draw a loop with its surroundings, or the whole fabric folded.",
    "path": "Show which way a packet takes, hop by hop.",
    "hash": "Count what hashes can do together; compute one; test models.",
    "load": "Tell what a job puts on every link, and which make it slow.",
    "explain": "Tell what a rule or a finding means and how to fix it.",
    "storm": "Say how many hosts one pausing host port holds up.",
    "show": "List what was read, what was skipped, and why.",
    "generate": "Write a topology file for a design review.",
}

HELP = """pauseproof decides from cabling and forwarding tables whether a lossless fabric can deadlock, finds the packets that
would freeze it and the changes that make it safe, and tells how its hashes and routes spread a training job.

It reads what your tools already write. InfiniBand: ibnetdiscover, opensm-subnet.lst, opensm.fdbs, dump_fts. Ethernet:
ip -j route, FRR's show ip route json, SONiC and EOS tables, LLDP output. docs/formats.md has the whole list. Nothing is sent
anywhere, and no switch is contacted.

\b
Exit codes:
  0  nothing at or above --fail-on
  1  findings: a deadlock is possible, or something as bad as --fail-on says
  2  bad input or usage, or nothing to check
  3  undecided: something that matters was not read
"""

group = LazyGroup(
    COMMANDS,
    name="pauseproof",
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has its own --help, with examples.",
)
group.params.append(
    click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=lambda ctx, _, wanted: _version(ctx) if wanted else None,
        help="Print the version and stop.",
    )
)


def _version(ctx: click.Context) -> None:
    click.echo(f"pauseproof {__version__}")
    ctx.exit()


def run() -> NoReturn:
    """The console script: one command, and the process ends."""
    try:
        main()
    finally:
        gc.freeze()  # all memory goes back at once now; Python need not look for cycles in it first


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy starts a thread for each core, for products of matrices
    code: object = 0
    # a closed stdout or stderr is None: the exit code still answers
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    with one_clear_answer(), pipes_read_once():
        # not group.main(): it would leave with 1, which means findings, when the reader of stdout goes away
        with group.make_context("pauseproof", list(sys.argv[1:] if argv is None else argv)) as ctx:
            code = group.invoke(ctx)
        sys.stdout.flush()
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def one_clear_answer() -> Iterator[None]:
    """Whatever goes wrong inside becomes a message on stderr and an exit code, never a traceback."""
    try:
        yield
    except BadInput as error:
        for problem in error.problems:
            click.echo(printable(shortened(str(problem))), err=True)
        sys.exit(REFUSED)
    except click.exceptions.Exit as asked:
        sys.exit(asked.exit_code)
    except click.ClickException as error:
        _show(error)
        sys.exit(REFUSED)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _no_more_output()
        sys.exit(READER_GONE)
    except OSError as error:
        _no_more_output()
        where = printable(str(error.filename or "stdout"))
        click.echo(f"{where}: {error.strerror or error}; the answer is not complete", err=True)
        sys.exit(REFUSED)
    except Exception as error:
        if os.environ.get("PAUSEPROOF_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        click.echo(f"pauseproof {__version__}: {_ours(error)}", err=True)
        sys.exit(REFUSED)


def _show(error: click.ClickException) -> None:
    """What click says, which may quote names of files and nodes."""
    said = io.StringIO()
    error.show(said)
    for line in said.getvalue().expandtabs(4).splitlines():
        click.echo(printable(shortened(line)), err=True)


def _no_more_output() -> None:
    """The interpreter flushes stdout once more when it leaves."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ours(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "this fabric needs more memory than there is; nothing was decided"
    what = printable(f"{type(error).__name__}: {error}").strip(": ")
    return (
        f"this is a bug in pauseproof, not in your input ({what}); nothing was decided. "
        "Please report it with the command you ran; PAUSEPROOF_DEBUG=1 shows where it happened."
    )


if __name__ == "__main__":
    main()
