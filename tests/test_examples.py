"""Every example in the documentation and in --help runs, in a copy of the project, as a reader would run it.

Documentation: ``$ `` lines of fenced ``console`` blocks, one block after the other in the same copy. --help: the lines under
"Examples:". An example may find a deadlock (exit 1) or be undecided (3); it may not be refused. Output shown below a command
must be what the command prints, ``...`` standing for anything.
"""

import doctest
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from pauseproof.cli.main import COMMANDS, group, main

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SHELL_BLOCK = re.compile(r"^(.*)\n```(?:sh|bash|shell)\n", re.M)


class Example(NamedTuple):
    command: str
    shown: str


def examples(text: str) -> Iterator[Example]:
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield Example(command, shown)


def help_examples(name: str) -> list[Example]:
    command = group.get_command(click.Context(group), name)
    assert command is not None and command.help is not None
    lines = command.help.partition("Examples:\n")[2].splitlines()
    return [Example(line.strip(), "") for line in lines if line.startswith("  pauseproof ")]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "topologies", tmp_path / "topologies")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(example: Example, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(example.command)
    assert words[0] == "pauseproof", f"only pauseproof can be tried here: {example.command}"
    with pytest.raises(SystemExit) as left:
        main(words[1:])
    printed = capsys.readouterr()
    assert left.value.code in (0, 1, 3), f"{example.command}: {printed.err}"
    if example.shown:
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(example.shown, printed.out, flags), printed.out


@pytest.mark.parametrize(
    "page", [p for p in PAGES if BLOCK.search(p.read_text("utf-8"))], ids=lambda p: str(p.relative_to(ROOT))
)
def test_examples_of_a_page(page: Path, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(examples(page.read_text("utf-8")))
    assert found
    for example in found:
        run(example, capsys)


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_help(name: str, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = help_examples(name)
    assert found
    for example in found:
        run(example, capsys)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_shell_blocks_that_are_not_run_say_so(page: Path) -> None:
    assert [before for before in SHELL_BLOCK.findall(page.read_text("utf-8")) if "not run by the tests" not in before] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_python_of_the_readme_runs(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGES[0].read_text("utf-8"), re.M | re.S)
    exec(compile(program, "README.md", "exec"), {})
    assert capsys.readouterr().out == "ring5_minhop DEADLOCK_POSSIBLE (5, 5)\n"


def test_an_example_that_is_refused_would_be_seen(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="no-such-file"):
        run(Example("pauseproof verify no-such-file", ""), capsys)
    with pytest.raises(AssertionError):
        run(Example("pauseproof --version", "something else\n"), capsys)


def test_the_picture_of_the_readme_is_what_pauseproof_draws(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same words at the same arrows; letters are set differently by different versions of Graphviz."""
    run(Example("pauseproof draw topologies/opensm/ring5_minhop --loop 2 -o loop.svg", ""), capsys)

    def words(svg: str) -> list[str]:
        return sorted(re.findall(r"<(?:text|title)[^>]*>(.*?)</", svg))

    drawn = words((copy / "loop.svg").read_text("utf-8"))
    assert "S0" in drawn
    assert words((ROOT / "docs/images/loop.svg").read_text("utf-8")) == drawn
