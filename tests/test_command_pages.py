"""The pages speak of every command, every option and every schema."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from pauseproof.cli.main import COMMANDS, group

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = "\n".join(path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md")))


def options(command: click.Command | None) -> Iterator[str]:
    """The long names of the options of a command and of the commands below it."""
    assert command is not None
    yield from (max(one.opts, key=len) for one in command.params if isinstance(one, click.Option))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in (*command.list_commands(context), ""):
            yield from options(command.get_command(context, name))


def test_every_command_has_a_section() -> None:
    sections = re.findall(r"^## (\S+)$", (DOCS / "cli.md").read_text("utf-8"), re.M)
    assert sorted(sections) == sorted(COMMANDS)


def test_every_option_is_spoken_of_on_some_page() -> None:
    context = click.Context(group)
    said = {option for name in COMMANDS for option in options(group.get_command(context, name))}
    assert len(said) > 50
    assert [option for option in sorted(said) if not re.search(re.escape(option) + r"\b(?!-)", PAGES)] == []


def test_every_schema_is_linked() -> None:
    page = (DOCS / "json.md").read_text("utf-8")
    assert [path.name for path in sorted((DOCS / "schema").iterdir()) if f"(schema/{path.name})" not in page] == []
