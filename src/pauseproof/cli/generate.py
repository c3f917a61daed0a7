"""``pauseproof generate``: a topology file from one line."""

import re
from collections.abc import Sequence

import click

from pauseproof.cli.output import STDOUT, write

HELP = """Write a topology file for a design review.

KIND is a family of fabrics, KEY=VALUE its parameters; a list is written 4x4 or 4,4. The file is YAML: change it as you like,
then verify it. Without KIND, the families are listed with their parameters, and the routing engines.

\b
Examples:
  pauseproof generate
  pauseproof generate ring switches=5 hosts=2 -o ring.yaml
  pauseproof generate torus size=4x4 --routing dimension-order
  pauseproof generate fat-tree k=4 --routing valley-free -o fat-tree.yaml
"""


@click.command(help=HELP, short_help="Write a topology file for a design review.")
@click.argument("kind", required=False, metavar="[KIND]")
@click.argument("parameters", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--routing", metavar="ENGINE", default="ecmp", show_default=True, help="How routes are computed.")
@click.option("--root", "roots", metavar="SWITCH", multiple=True, help="A root for the engine updown (repeatable).")
@click.option("--infiniband", is_flag=True, help="Speak of VLs and SLs instead of priorities.")
@click.option("-o", "--output", metavar="FILE", default=STDOUT, help="Default: stdout.")
def command(
    kind: str | None, parameters: tuple[str, ...], routing: str, roots: tuple[str, ...], infiniband: bool, output: str
) -> int:
    """Generate."""
    if kind is None:
        click.echo(families(), nl=False)
        return 0
    text = topology_text(kind, parameters, routing, roots, infiniband)
    _check(text)
    write(output, text.encode())
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


def topology_text(kind: str, parameters: Sequence[str], routing: str, roots: Sequence[str], infiniband: bool) -> str:
    """The topology file. Raises click.UsageError where a word is not known; the values are checked by its reader."""
    from pauseproof.fabric.generators import GENERATORS
    from pauseproof.readers.suggest import expected_one_of
    from pauseproof.routing.engines import ENGINES

    if kind not in GENERATORS:
        raise click.UsageError(f"no such family {kind!r}; {expected_one_of(kind, GENERATORS)}")
    if routing not in ENGINES:
        raise click.UsageError(f"no such routing engine {routing!r}; {expected_one_of(routing, ENGINES)}")
    given = dict(_key_value(kind, parameter) for parameter in parameters)
    if len(given) < len(parameters):
        raise click.UsageError("a parameter is given twice")
    name = "-".join([kind, *(value.strip("[]").replace(", ", "x") for value in given.values())])
    engine = f"{{engine: {routing}, roots: [{', '.join(map(_yaml_word, roots))}]}}" if roots else routing
    fields = ", ".join(f"{key}: {value}" for key, value in given.items())
    lines = [f"name: {name}", f"kind: {'infiniband' if infiniband else 'roce'}", f"{kind}: {{{fields}}}", f"routing: {engine}"]
    return "\n".join(lines) + "\n"


def _yaml_word(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def _key_value(kind: str, parameter: str) -> tuple[str, str]:
    from pauseproof.fabric.generators import GENERATORS
    from pauseproof.readers.suggest import expected_one_of

    key, _, value = parameter.partition("=")
    known = {p.name: p for p in GENERATORS[kind].parameters}
    if key not in known:
        raise click.UsageError(f"{kind} has no parameter {key!r}; {expected_one_of(key, known)}")
    if not re.fullmatch(r"-?[0-9]+([x,][0-9]+)*", value):
        raise click.UsageError(
            f"{parameter!r}: expected {key}=NUMBER" + (" or a list such as 4x4" * (known[key].type != "integer"))
        )
    numbers = re.split("[x,]", value)
    return key, value if known[key].type == "integer" else f"[{', '.join(numbers)}]"


def _check(text: str) -> None:
    """Refuse what the reader of the file would refuse. Raises BadInput."""
    from pauseproof.readers.native import read_native
    from pauseproof.readers.source import Source
    from pauseproof.routing.native_fabric import design_of

    data = text.encode()
    design_of(read_native(Source("(generated)", data, data)))
