from importlib import import_module

import click
import pytest

from pauseproof.cli.main import COMMANDS, group


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_command_says(name: str) -> None:
    command = import_module(f"pauseproof.cli.{name}").command
    assert command.short_help == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None and command.help is not None
    _, _, examples = command.help.partition("\b\nExamples:\n")
    assert f"  pauseproof {name}" in examples


def test_an_unknown_command_names_the_nearest() -> None:
    with pytest.raises(click.UsageError, match="no such command 'verfy'; did you mean 'verify'"):
        group.resolve_command(click.Context(group), ["verfy"])
