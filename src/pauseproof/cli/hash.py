"""``pauseproof hash``: hash functions at work. The first word says which: ``value``, ``sport``, or a path to a fabric."""

from importlib import import_module

import click

COMMANDS = {
    "value": "Print the hash value of one packet.",
    "sport": "Print the UDP source port of a RoCE connection.",
}
PATHS = ""  # the command behind every other first word: no word is spelled so

HELP = """Compute what switches hash, what hashes one after the other can do together, and hold models against measurements.

\b
  pauseproof hash PATH...        chains of hashes on real paths: how many combinations of members two hosts' packets can
                                 take, what helps where hashes repeat each other, and members that no packet reaches
  pauseproof hash value ...      the hash value of one packet
  pauseproof hash sport ...      the UDP source port of a RoCE connection
  pauseproof hash --samples FILE which modelled functions explain measured egress ports, and, with the PATHs of a fabric,
                                 whether its settings do

Functions are modelled after what is publicly known; docs/hashing.md tells which, and from where. `pauseproof hash value -h` has
the options of the first form. A folder that is called like a command is written ./value.

\b
Examples:
  pauseproof hash topologies/fat-tree-k8-polarized.yaml --prove
  pauseproof hash topologies/fat-tree-k8-offsets.yaml --format json
  pauseproof hash value --algorithm crc16 --sip 10.0.1.1 --dip 10.0.2.1 --proto 17 --sport 49152 --dport 4791
  pauseproof hash value --algorithm linux --policy 1 --seed 12345 --sip 10.0.1.1 --dip 10.0.2.1 --sport 49152 --members 3
  pauseproof hash sport --qpn 0x11 0x22
  pauseproof hash sport --flow-label 0x12345 --format json
"""


class FirstWord(click.Group):
    """A group whose other first words are arguments of one more command. Commands are imported only when they run."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the name of that command before words that name none."""
        known = (*COMMANDS, *ctx.help_option_names)
        return super().parse_args(ctx, [PATHS, *args] if args and args[0] not in known else args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Those with a name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in (*COMMANDS, PATHS):
            return None
        command: click.Command = import_module(f"pauseproof.cli.hash_{cmd_name or 'paths'}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table: nothing is imported to be listed."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the form without a command, which are this command's own to a reader."""
        other = self.get_command(ctx, PATHS)
        if other is not None:
            click.Command.format_options(other, ctx, formatter)
        self.format_commands(ctx, formatter)


@click.group(cls=FirstWord, help=HELP, short_help="Count what hashes can do together; compute one; test models.")
def command() -> None:
    """Hash."""
