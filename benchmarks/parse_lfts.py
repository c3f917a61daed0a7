"""How fast opensm-lfts.dump is read: MB/s, best of three, beside ``wc -l`` and a plain Python loop over the lines.

Run ``python benchmarks/parse_lfts.py [MEGABYTES]`` (200 where not given); the dump is made in a temporary folder.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pauseproof.readers import lfts
from pauseproof.readers.source import open_source

HOSTS, SWITCHES = 4000, 500


def write_dump(path: Path, megabytes: int) -> None:
    """A dump of about so many megabytes: every switch has a row for every LID, as in a fat-tree."""
    written, switch = 0, 0
    with path.open("wb") as file:
        while written < megabytes * 1_000_000:
            written += file.write(block(switch))
            switch += 1


def block(switch: int) -> bytes:
    """One switch's table: hosts first, then switches."""
    guid, top = 0x200000 + switch, HOSTS + SWITCHES
    lines = [f"Unicast lids [0-{top}] of switch Lid {HOSTS + 1 + switch} guid 0x{guid:016x} ('leaf {switch}'):"]
    lines += [
        f"0x{lid:04x} {(lid + switch) % 40 + 1:03} # Channel Adapter portguid 0x{0x100000 + lid:016x}: 'n{lid} HCA-1'"
        for lid in range(1, HOSTS + 1)
    ]
    lines += [
        f"0x{HOSTS + 1 + s:04x} {(s + switch) % 40 + 1:03} # Switch portguid 0x{0x200000 + s:016x}: 'leaf {s}'"
        for s in range(SWITCHES)
    ]
    return ("\n".join(lines) + f"\n{top} lids dumped\n").encode()


def best_of_three(task: Callable[[], object]) -> float:
    """Seconds of the fastest of three runs."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        task()
        times.append(time.perf_counter() - begun)
    return min(times)


def line_loop(path: Path) -> int:
    """What a reader without numpy does at least: split every row and convert two numbers."""
    total = 0
    with path.open("rb") as file:
        for line in file:
            if line.startswith(b"0x"):
                lid, port, _ = line.split(b" ", 2)
                total += int(lid, 16) + int(port)
    return total


def main() -> None:
    """Make the dump, take the times, print them."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "opensm-lfts.dump"
        write_dump(path, megabytes)
        size = path.stat().st_size / 1e6
        seconds = {
            "pauseproof": best_of_three(lambda: lfts.read(open_source(path))),
            "wc -l": best_of_three(lambda: subprocess.run(["wc", "-l", path], check=True, capture_output=True)),
            "Python line loop": best_of_three(lambda: line_loop(path)),
        }
    for name, taken in seconds.items():
        print(
            f"{name:18}{taken:7.3f} s {size / taken:8.0f} MB/s {seconds['pauseproof'] / taken:8.2f} x its time is pauseproof's"
        )


if __name__ == "__main__":
    main()
