"""The model shares no code with the engine that it is held against, and the engine none with it."""

import subprocess
import sys

from test_layers import PACKAGE, imports

ENGINE = ("pauseproof.dependency", "pauseproof.deadlock", "pauseproof.findings", "pauseproof.library")


def test_no_module_of_the_model_imports_the_engine() -> None:
    files = sorted((PACKAGE / "replay").glob("*.py"))
    assert len(files) > 8
    assert [(f.name, m) for f in files for m in imports(f) if m.startswith(ENGINE)] == []


def test_the_engine_does_not_import_the_model() -> None:
    files = [path for stage in ("dependency", "deadlock") for path in (PACKAGE / stage).glob("*.py")]
    assert [(f.name, m) for f in files for m in imports(f) if m.startswith("pauseproof.replay")] == []


def test_nothing_of_the_engine_is_loaded_with_it() -> None:
    program = (
        "import sys; from importlib import import_module; from pathlib import Path; import pauseproof.routing.walk\n"
        f"for f in sorted(Path({str(PACKAGE / 'replay')!r}).glob('*.py')): import_module(f'pauseproof.replay.{{f.stem}}')\n"
        f"engine = sorted(m for m in sys.modules if m.startswith({ENGINE[:2]!r}))\n"
        "sys.exit(f'loaded: {engine}' if engine else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
