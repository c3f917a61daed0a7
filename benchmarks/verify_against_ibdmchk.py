"""Whole processes on the same two files, opensm-subnet.lst and opensm.fdbs: ``pauseproof verify`` against ibdmchk.

Run ``python benchmarks/verify_against_ibdmchk.py FOLDER...`` with folders that hold both files, such as OpenSM's dumps or what
make_fat_tree_dump.py writes. ibdmchk (Debian: ibutils) dies of a segmentation fault after it has printed its verdict, in every
run; so its verdict is read from what it printed. Medians of five, in turns.
"""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import PAUSEPROOF, Run, interleaved, median, verdict

TIMES = 5
FREE, LOOP = "no credit loops found", "credit loops"


def ibdmchk_verdict(one: Run) -> str:
    """What ibdmchk found. Raises RuntimeError where it did not come so far."""
    if FREE in one.output:
        return "DEADLOCK_FREE"
    if "Analyzing Fabric for Credit Loops" in one.output and LOOP in one.output.split("Analyzing Fabric for Credit Loops")[1]:
        return "DEADLOCK_POSSIBLE"
    raise RuntimeError(f"ibdmchk left with {one.status} and without a verdict: {one.output[-300:]}")


def compare(ibdmchk: str, folder: Path, times: int) -> str:
    """One line: times, memory, ratios, verdicts."""
    files = folder / "opensm-subnet.lst", folder / "opensm.fdbs"
    with tempfile.NamedTemporaryFile(suffix=".mcfdbs") as no_multicast:
        other: Sequence[str | Path] = (ibdmchk, "-s", files[0], "-f", files[1], "-m", no_multicast.name)
        ours, theirs = interleaved([(*PAUSEPROOF, "verify", *files), other], times)
    seconds, busy, megabytes = ([median(runs, what) for runs in (ours, theirs)] for what in (_seconds, _busy, _megabytes))
    return (
        f"{folder.name}: {seconds[0]:.3f} s against {seconds[1]:.3f} s, {seconds[1] / seconds[0]:.1f} times as fast "
        f"({busy[0]:.3f} s against {busy[1]:.3f} s of computing, {busy[1] / busy[0]:.1f} times); "
        f"{megabytes[0]:.0f} MB against {megabytes[1]:.0f} MB, {megabytes[0] / megabytes[1]:.2f} of its memory; "
        f"{verdict(ours[0])} against {ibdmchk_verdict(theirs[0])}"
    )


def _seconds(one: Run) -> float:
    return one.seconds


def _busy(one: Run) -> float:
    return one.busy


def _megabytes(one: Run) -> float:
    return one.megabytes


def main() -> None:
    """Compare on every folder of the command line."""
    if len(sys.argv) < 2:
        sys.exit("usage: verify_against_ibdmchk.py FOLDER...")
    ibdmchk = shutil.which("ibdmchk")
    if ibdmchk is None:
        sys.exit("ibdmchk is not installed; Debian has it in the package ibutils")
    for folder in sys.argv[1:]:
        print(compare(ibdmchk, Path(folder), TIMES), flush=True)


if __name__ == "__main__":
    main()
