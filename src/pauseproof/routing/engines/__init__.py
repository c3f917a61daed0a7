"""Routes computed from the cabling: one file per engine, and the table of what each engine can be given."""

from dataclasses import dataclass

__all__ = ["ENGINES", "Engine"]


@dataclass(frozen=True)
class Engine:
    """One engine: its name in a topology file, what it does, and what it needs beyond the cabling."""

    name: str
    doc: str
    needs: str = ""  # "tier", "roots", "grid"
    adaptive: bool = False


ENGINES: dict[str, Engine] = {
    e.name: e
    for e in (
        Engine("ecmp", "every link on a shortest path, picked by a hash"),
        Engine("valley-free", "up the tiers, then down; shortest, picked by a hash", needs="tier"),
        Engine("updown", "up*/down* from the given roots; shortest, picked by a hash", needs="roots"),
        Engine("dimension-order", "one coordinate after the other; pinned", needs="grid"),
        Engine("bgp", "the shortest AS paths that are accepted and equal, picked by a hash"),
        Engine("minimal-adaptive", "any link on a shortest path, picked by load", adaptive=True),
    )
}
