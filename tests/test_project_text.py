"""What no file of the project may contain: paths of one machine, and hosts of package registries."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# written in pieces, so that this file is no exception to its own rule
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(?:wo" + r"rk|tm" + r"p|home|root|Users)(?:/|\b(?![\w-]))")
REGISTRY_HOST = re.compile(
    "(?:" + "|".join(["py" + r"pi\.org", "python" + r"hosted\.org", "npm" + r"js\.", r"crates\." + "io"]) + ")"
)


def project_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git clone")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:4096] and path.suffix != ".gz"]


def offending(text: str) -> list[str]:
    return [line for line in text.splitlines() if MACHINE_PATH.search(line) or REGISTRY_HOST.search(line)]


def test_no_machine_paths_and_no_registry_hosts() -> None:
    found = {str(path.relative_to(ROOT)): offending(path.read_text("utf-8", "replace")) for path in project_files()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("line", ["see /wo" + "rk/main", 'open("/tm' + 'p/x")', "https://py" + "pi.org/simple"])
def test_such_lines_would_be_seen(line: str) -> None:
    assert offending(line) == [line]


@pytest.mark.parametrize("line", ["this will /workaround it", "src/wo" + "rk/x", "pytest tm" + "p_path", "a/tm" + "p"])
def test_other_lines_would_not(line: str) -> None:
    assert offending(line) == []
