"""The ``routing`` key of a topology file: an engine by its name, or with what it is to be told."""

from pauseproof.readers.forms import Form
from pauseproof.readers.native_lines import BgpLine, Numbered, RoutingLine, Word
from pauseproof.readers.yaml_tree import Mapping, Node, Scalar

ENGINES = ("tables", "ecmp", "valley-free", "updown", "dimension-order", "minimal-adaptive", "bgp")
ESCAPES = ("dimension-order", "updown")
AS_RULES = ("distinct", "clos")
MAX_AS = 2**32 - 2
MAX_ALLOWAS_IN = 10
_BGP_KEYS = ("as", "allowas-in", "multipath-relax")


def routing_line(form: Form, node: Node) -> RoutingLine:
    """How the file says that routes are computed."""
    if isinstance(node, Scalar):
        engine = form.choice(node, "routing engine", ENGINES)
        return RoutingLine(Word(engine, node.place), bgp=BgpLine() if engine == "bgp" else None)
    fields = form.fields(node, "routing", ("roots", "escape", *_BGP_KEYS), ("engine",))
    engine = form.choice(fields["engine"], "routing engine", ENGINES) if "engine" in fields else ENGINES[0]
    if engine != "bgp":
        for key in sorted(fields.keys() & set(_BGP_KEYS)):
            form.wrong(fields[key].place, f"{key!r} is for the engine bgp, not for {engine}")
    return RoutingLine(
        Word(engine, node.place),
        form.words(fields.get("roots"), "a root"),
        _escape(form, fields.get("escape"), engine),
        _bgp(form, fields.get("as"), fields.get("allowas-in"), fields.get("multipath-relax")) if engine == "bgp" else None,
    )


def _escape(form: Form, node: Node | None, engine: str) -> Word | None:
    if node is None:
        return None
    if engine != "minimal-adaptive":
        form.wrong(node.place, f"an escape is for the engine minimal-adaptive, not for {engine}")
    return Word(form.choice(node, "escape", ESCAPES), node.place)


def _bgp(form: Form, numbers: Node | None, allowed: Node | None, relax: Node | None) -> BgpLine:
    line = BgpLine()
    if isinstance(numbers, Mapping):
        line = line._replace(asn=_numbered(form, numbers, "AS", 1, MAX_AS))
    elif numbers is not None:
        line = line._replace(rule=Word(form.choice(numbers, "as", AS_RULES), numbers.place))
    if isinstance(allowed, Mapping):
        line = line._replace(allowed=_numbered(form, allowed, "allowas-in", 0, MAX_ALLOWAS_IN))
    elif allowed is not None:
        times = form.integer(allowed, "allowas-in", 0, MAX_ALLOWAS_IN)
        line = line._replace(allowed=(Numbered(Word("*", allowed.place), times),))
    if relax is not None:
        line = line._replace(relax=form.choice(relax, "multipath-relax", ("false", "true")) == "true")
    return line


def _numbered(form: Form, node: Mapping, what: str, least: int, most: int) -> tuple[Numbered, ...]:
    """Numbers by switch or pattern."""
    return tuple(
        Numbered(form.word(key, f"a switch in {what}"), form.integer(value, what, least, most))
        for key, value in node.items.values()
    )
