"""Folders are stages: imports point only backwards along the list, and the command line stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import pauseproof

PACKAGE = Path(pauseproof.__file__).parent
STAGES = (
    *("fabric", "readers", "routing", "hashing", "dependency", "deadlock"),
    *("loads", "replay", "findings", "repair", "reports", "drawings", "cli"),
)


def modules() -> list[Path]:
    return sorted(path for stage in STAGES for path in (PACKAGE / stage).rglob("*.py"))


def name(path: Path) -> str:
    return ".".join(["pauseproof", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def stage_of(module: str) -> int:
    parts = module.split(".")
    return STAGES.index(parts[1]) if len(parts) > 1 and parts[1] in STAGES else -1


def forward_imports(module: str, imported: Iterator[str]) -> list[str]:
    here = stage_of(module)
    return [other for other in imported if other.startswith("pauseproof.") and stage_of(other) > here]


@pytest.mark.parametrize("path", modules(), ids=name)
def test_imports_point_backwards(path: Path) -> None:
    assert forward_imports(name(path), imports(path)) == []


def test_a_forward_import_would_be_seen() -> None:
    assert forward_imports("pauseproof.fabric.model", iter(["numpy", "pauseproof.cli.main"])) == ["pauseproof.cli.main"]


def test_every_folder_is_a_stage() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert folders <= set(STAGES)


def test_no_folder_has_the_name_of_a_function_of_the_library() -> None:
    """Whoever imports a module of the folder would replace the function by it."""
    functions = {name for name in pauseproof.__all__ if not name.startswith("_")}
    assert functions & {path.stem for path in PACKAGE.iterdir()} == set()


@pytest.mark.parametrize("arguments", [["--help"], ["verify", "--help"], ["--version"], ["explain", "PP101"]])
def test_words_need_no_arrays(arguments: list[str]) -> None:
    program = (
        "import sys; from pauseproof.cli.main import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit: pass\n"
        "heavy = sorted({'numpy', 'scipy', 'networkx', 'z3', 'graphviz', 'yaml'} & set(sys.modules))\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_verdict_on_a_subnet_imports_only_what_it_needs() -> None:
    program = (
        "import sys; from pauseproof.cli.main import main\n"
        "ring = 'topologies/opensm/ring5_minhop/opensm'\n"
        "try: main(['verify', f'{ring}-subnet.lst', f'{ring}.fdbs'])\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=PACKAGE.parents[1], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("DEADLOCK_POSSIBLE")
    imported = set(done.stderr.split())
    assert imported & {"z3", "networkx", "graphviz", "rich", "yaml"} == set()
    stages = {name.split(".")[1] for name in imported if name.startswith("pauseproof.")}
    assert stages & {"hashing", "loads", "replay", "repair", "drawings"} == set()
    assert [name for name in imported if name.startswith("pauseproof.routing.ethernet")] == []
