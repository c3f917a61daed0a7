"""``pauseproof generate``: a topology file from one line."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from pauseproof.cli.output import STDOUT, write

if TYPE_CHECKING:
    from pauseproof.fabric.model import FabricKind

HELP = """Write a topology file for a design review.

KIND is a family of fabrics, KEY=VALUE its parameters; a list is written 4x4 or 4,4. The file is YAML: change it as you like,
then verify it. Without KIND, the families are listed with their parameters, and the routing engines.

\b
Examples:
  pauseproof generate
  pauseproof generate ring switches=5 hosts=2 -o ring.yaml
  pauseproof generate torus size=4x4 --routing dimension-order
  pauseproof generate fat-tree k=4 --routing valley-free -o fat-tree.yaml
  pauseproof generate leaf-spine leaves=4 spines=2 --expanded
"""


@click.command(help=HELP, short_help="Write a topology file for a design review.")
@click.argument("kind", required=False, metavar="[KIND]")
@click.argument("parameters", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--routing", metavar="ENGINE", default="ecmp", show_default=True, help="How routes are computed.")
@click.option("--root", "roots", metavar="SWITCH", multiple=True, help="A root for the engine updown (repeatable).")
@click.option("--infiniband", is_flag=True, help="Speak of VLs and SLs instead of priorities.")
@click.option("--expanded", is_flag=True, help="Every switch, host and cable, to be changed one by one.")
@click.option("-o", "--output", metavar="FILE", default=STDOUT, help="Default: stdout.")
def command(
    kind: str | None,
    parameters: tuple[str, ...],
    routing: str,
    roots: tuple[str, ...],
    infiniband: bool,
    expanded: bool,
    output: str,
) -> int:
    """Generate."""
    if kind is None:
        click.echo(families(), nl=False)
        return 0
    write(output, topology_text(kind, parameters, routing, roots, infiniband, expanded).encode())
    return 0


def families() -> str:
    """Every family with its parameters, and every engine."""
    from pauseproof.fabric.generators import GENERATORS
    from pauseproof.routing.engines import ENGINES

    lines = ["Families:"]
    for generator in GENERATORS.values():
        lines.append(f"  {generator.name}: {generator.doc}")
        for p in generator.parameters:
            default = "required" if p.default is None else f"default {p.default}"
            lines.append(f"      {p.name}  {p.doc} ({default})")
    lines.append("Routing engines:")
    lines += [f"  {engine.name}: {engine.doc}" for engine in ENGINES.values()]
    return "\n".join(lines) + "\n"


def topology_text(
    kind: str, parameters: Sequence[str], routing: str, roots: Sequence[str], infiniband: bool, expanded: bool
) -> str:
    """The topology file. Raises click.UsageError for what makes no fabric."""
    from pauseproof.fabric.generators import generate
    from pauseproof.readers.suggest import expected_one_of
    from pauseproof.routing.native_write import write_generated

    given = dict(map(key_value, parameters))
    if len(given) < len(parameters):
        raise click.UsageError("a parameter is given twice")
    fabric_kind: FabricKind = "infiniband" if infiniband else "roce"
    try:
        text = write_generated(kind, given, fabric_kind=fabric_kind, routing=routing, roots=roots, expanded=expanded)
        fabric = generate(kind, given).fabric
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    switches = fabric.node_name[: fabric.n_switches]
    for root in roots:
        if not any(fnmatchcase(name, root) for name in switches):
            raise click.UsageError(f"--root {root}: no switch is called so; {expected_one_of(root, switches)}")
    return text


def key_value(parameter: str) -> tuple[str, int | tuple[int, ...]]:
    """``key=4`` or ``key=4x4``; a list of one number is written ``key=4,``. Raises click.UsageError.

    >>> key_value("size=4x4"), key_value("k=8"), key_value("size=4,")
    (('size', (4, 4)), ('k', 8), ('size', (4,)))
    """
    key, _, value = parameter.partition("=")
    if not re.fullmatch(r"-?[0-9]{1,9}|[0-9]{1,9}([x,][0-9]{1,9})*,?", value):
        raise click.UsageError(f"{parameter!r}: expected {key or 'KEY'}=NUMBER, or {key or 'KEY'}=4x4 for a list")
    if not re.search("[x,]", value):
        return key, int(value)
    return key, tuple(int(number) for number in re.split("[x,]", value.rstrip(",")))
