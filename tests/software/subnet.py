"""The real OpenSM on a simulated subnet: its dumps, for tests.

ibsim plays the fabric that a net file describes; opensm discovers it, routes it, dumps its tables and leaves. Both run in a
folder of their own with a time limit, and whatever happens neither outlives the call.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pauseproof.fabric.model import Fabric

NEEDED = ("opensm", "ibsim", "ibsim-run")
WITHIN = 20.0  # seconds for one run
DUMP_ALL = "0x43"  # errors, info, routing
_GAVE_UP = ("No routing engine able", "could not configure")
PATHS = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))


def missing() -> list[str]:
    """The programs that are not installed."""
    return [name for name in NEEDED if shutil.which(name, path=PATHS) is None]


def net_text(fabric: Fabric) -> str:
    """The fabric as an ibsim net file: a block a node, a line a cabled port."""
    blocks = []
    for node in range(fabric.n_nodes):
        kind = "Switch" if node < fabric.n_switches else "Hca"
        lines = [f'{kind}\t{int(fabric.node_ports[node])} "{fabric.node_name[node]}"']
        out = sorted((l.src_port, fabric.node_name[l.dst], l.dst_port) for l in fabric.links() if l.src == node)
        lines += [f'[{port}]\t"{peer}"[{peer_port}]' for port, peer, peer_port in out]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def dump_subnet(net: str, engine: str, folder: Path, *options: str) -> bool:
    """Leave the dumps of ``net`` routed by ``engine`` in ``folder``; False where the engine cannot route it.

    Raises TimeoutError, with the end of the logs, where there is no answer in time.
    """
    (folder / "fabric.net").write_text(net)
    (folder / "opensm.conf").write_text("")
    socket = f"pauseproof_{os.getpid()}_{time.monotonic_ns()}"
    env = {**os.environ, "PATH": PATHS, "IBSIM_SOCKNAME": socket, "OSM_TMP_DIR": str(folder), "OSM_CACHE_DIR": str(folder)}
    until = time.monotonic() + WITHIN
    with _running(["ibsim", "-s", "-n", "fabric.net"], folder, env, "ibsim.log") as simulator:
        while True:
            with _running(_opensm(engine, folder, options), folder, env, "opensm.out") as manager:
                answer = _wait_for(manager, simulator, folder, until)
            if answer is not None:
                return answer
            time.sleep(0.1)  # the simulator was not yet listening


def _opensm(engine: str, folder: Path, options: tuple[str, ...]) -> list[str]:
    once = ["--once", "-D", DUMP_ALL, "-F", str(folder / "opensm.conf")]
    files = ["-f", str(folder / "osm.log"), "--dump_files_dir", str(folder)]
    return ["ibsim-run", "opensm", *once, "-R", f"{engine},no_fallback", *files, *options]


@contextmanager
def _running(command: list[str], folder: Path, env: dict[str, str], log: str) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / log).open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Both programs keep nothing outside the folder, and opensm takes seconds to leave when it is asked to."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(5)


def _wait_for(manager: subprocess.Popen[bytes], simulator: subprocess.Popen[bytes], folder: Path, until: float) -> bool | None:
    """True once all is dumped, False where the engine gives up, None where the manager left before it saw the subnet."""
    log = folder / "osm.log"
    while time.monotonic() < until:
        if simulator.poll() is not None:
            break
        ended = manager.poll() is not None
        text = log.read_text("utf-8", "replace") if log.exists() else ""
        if any(words in text for words in _GAVE_UP):
            return False
        if ended:
            return True if "SUBNET UP" in text else None
        time.sleep(0.02)
    ends = [file.read_text("utf-8", "replace")[-500:] for file in (folder / "ibsim.log", log) if file.exists()]
    raise TimeoutError("\n".join([f"no answer from opensm within {WITHIN} s", *ends]))
