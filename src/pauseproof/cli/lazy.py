"""Commands that are imported only when they run, so that ``pauseproof --help`` answers at once."""

from collections.abc import Mapping
from importlib import import_module

import click


class LazyGroup(click.Group):
    """A group whose command ``name`` is ``command`` in the module ``pauseproof.cli.<name>``.

    ``short`` maps each name, in the order of the help, to the line that the help shows for it.
    """

    def __init__(self, short: Mapping[str, str], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.short = short

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        return list(self.short)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None where there is none of that name."""
        if cmd_name not in self.short:
            return None
        command: click.Command = import_module(f"pauseproof.cli.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest name where there is no such command."""
        if args and args[0] not in self.short and not args[0].startswith("-"):
            from pauseproof.readers.suggest import did_you_mean, nearest

            near = nearest(args[0], list(self.short))
            hint = did_you_mean(near) if near else f"expected one of {', '.join(self.short)}"
            raise click.UsageError(f"no such command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table itself: no command is imported to be listed."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.short.items()))
