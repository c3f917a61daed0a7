"""The table entries that a topology file gives: they override what an engine computed, a later line an earlier one."""

from dataclasses import dataclass, field

from pauseproof.fabric.places import Place
from pauseproof.readers.native_lines import NativeFile, TableLine, Word
from pauseproof.routing.native_columns import Columns
from pauseproof.routing.native_names import Names
from pauseproof.routing.tables import ChoiceKind, Route

MOST_ENTRIES = 2_000_000
BY_WORD = {"drop": ChoiceKind.DROP, "unknown": ChoiceKind.UNKNOWN, "hashed": ChoiceKind.HASHED, "adaptive": ChoiceKind.ADAPTIVE}


@dataclass(frozen=True)
class Overrides:
    """Entries by (switch, column), and the place of each."""

    routes: dict[tuple[int, int], Route] = field(default_factory=dict)
    places: dict[tuple[int, int], Place] = field(default_factory=dict)

    def place_of(self, s: int, d: int) -> Place | None:
        """Where an entry was read, None where it was computed."""
        return self.places.get((s, d))


def overrides_of(native: NativeFile, columns: Columns, names: Names) -> Overrides:
    """The entries that the file gives. A pattern leaves alone the columns that the switch itself hands to their hosts."""
    out = Overrides()
    origin = columns.origin.tolist()
    for line in native.tables:
        named, matched = columns.meant_by(line.destinations, names)
        for s in names.switches(line.switches):
            route = _route(line, s, names)
            for d in [*named, *(d for d in matched if origin[d] != s)]:
                out.routes[s, d], out.places[s, d] = route, line.place
        if len(out.routes) > MOST_ENTRIES:
            names.wrong(Word("", line.place), f"tables of more than {MOST_ENTRIES} entries; use an engine")
            break
    return out


def _route(line: TableLine, s: int, names: Names) -> Route:
    kind = BY_WORD[line.kind]
    links: set[int] = set()
    dead = []
    for word in line.out:
        ports = [p for p in names.ports(s, word) if p > 0]
        if not ports:
            name = names.fabric.node_name[s]
            names.wrong(word, f"{word.text!r} is no port (1 to {names.fabric.node_ports[s]}) and no neighbour of {name!r}")
        found = {int(names.fabric.out_link[s, p]) for p in ports}
        dead += [word] if found == {-1} else []
        links |= found - {-1}
    if dead and links:
        names.wrong(dead[0], f"port {dead[0].text!r} has no cable; a group of several members needs cables at all of them")
    return Route(ChoiceKind.DEAD_PORT if dead else kind, () if dead else tuple(sorted(links)))
