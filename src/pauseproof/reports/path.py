"""The way of one packet, for readers and for programs: every hop with its table row, hash value, lane and label."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from pauseproof.hashing.choosing import Chosen, Pick
from pauseproof.hashing.ends import End
from pauseproof.hashing.trace import ENDS, NOT_FOR_IT, Hop, Trace
from pauseproof.reports.documents import Json, document, inputs_json, link_json, place_json
from pauseproof.reports.styled import Line, Meaning, Span, line
from pauseproof.reports.words import encodable, printable
from pauseproof.routing.network import Network
from pauseproof.routing.packets import LabelIn, Outcome, State
from pauseproof.routing.tables import ChoiceKind

OUTCOMES: dict[Outcome, tuple[str, Meaning]] = {
    Outcome.ROUTED: ("delivered", "good"),
    Outcome.UNKNOWN: ("unknown", "unsure"),
    Outcome.UNROUTABLE: ("dropped", "bad"),
    Outcome.LOOPING: ("looping", "bad"),
}
ALL_POSSIBLE = "all are possible"
PICKED = "picked from the subnet behind the port; others hash differently"


def path_lines(network: Network, found: Trace, source: End, target: End, header: dict[str, int]) -> Iterator[Line]:
    """The ends, each hop, and what becomes of the packet."""
    told = _Words(network)
    yield line(Span(f"{told.host(found.source)} -> {told.host(found.member)}", "title"), told.header(source, target, header))
    for name, end in (("source", source), ("destination", target)):
        if end.any_of and header:
            yield line("  ", Span(f"{name} address {address_text(end)} is {PICKED}", "quiet"))
    for state in found.first:
        yield line(f"  {told.host(found.source)} sends {told.onto(state)}")
    for hop in found.hops:
        if hop.switch >= 0:
            yield from told.hop(hop)
    word, meaning = OUTCOMES[found.outcome]
    ends = sorted(
        {*(f"{told.where(hop)}: {told.ends(hop)}" for hop in found.hops if hop.ends), *([found.ends] if found.ends else [])}
    )
    yield line(Span(word, meaning), "" if found.certain else "  (more than one way is possible)")
    yield from (line(f"  {one}") for one in ends)
    if found.cut:
        yield line("  ", Span("more ways than are followed; say more of the packet", "unsure"))


def address_text(end: End) -> str:
    """The address of an end as text."""
    a = end.address
    return "" if a is None else str(IPv4Address(a.number) if a.family == 4 else IPv6Address(a.number))


class _Words:
    def __init__(self, network: Network) -> None:
        self.network, self.fabric = network, network.fabric
        self.infiniband = self.fabric.kind == "infiniband"
        self.label_word, self.lane_word = ("SL", "VL") if self.infiniband else ("label", "priority")

    def node(self, n: int) -> str:
        return printable(self.fabric.node_name[n])

    def host(self, h: int) -> str:
        return self.node(int(self.fabric.host_node[h]))

    def port(self, node: int, port: int) -> str:
        return printable(self.fabric.port_name(node, port))

    def column(self, d: int) -> str:
        return ("LID " if self.infiniband else "") + printable(self.network.destinations.names[d])

    def header(self, source: End, target: End, header: dict[str, int]) -> str:
        if self.infiniband:
            return f"  {self.column(target.column)}"
        ports = f", UDP {header['sport']} -> {header['dport']}" if "sport" in header else ", UDP source port not given"
        return f"  {address_text(source) or '?'} -> {address_text(target) or '?'}{ports}"

    def label(self, q: State) -> str:
        lanes = self.network.lanes
        inside = f" in {self.column(q[2].column)}" if isinstance(q[2], LabelIn) else ""
        label, lane = printable(lanes.label_names[q[2]]), printable(lanes.lane_names[q[1]])
        return f"{self.label_word} {label}{inside}, {self.lane_word} {lane}"

    def onto(self, q: State) -> str:
        link = self.fabric.every_link[q[0]]
        return f"by {self.port(link.src, link.src_port)} to {self.node(link.dst)}, {self.label(q)}"

    def where(self, hop: Hop) -> str:
        return self.node(hop.switch if hop.switch >= 0 else self.fabric.every_link[hop.q[0]].dst)

    def ends(self, hop: Hop) -> str:
        """How the packet ends here; where there is no row, for what. On Ethernet a row may say so itself: discard."""
        if hop.kind is not ChoiceKind.DROP:
            return hop.ends
        return f"no row {'' if self.infiniband else 'that leads on '}for {self.column(hop.column)}: dropped"

    def hop(self, hop: Hop) -> Iterator[Line]:
        link = self.fabric.every_link[hop.q[0]]
        came = f" from {self.node(link.src)} by {self.port(link.dst, link.dst_port)}, {self.label(hop.q)}"
        yield line("  ", Span(self.node(hop.switch), "title"), came)
        place = printable(str(hop.place)) if hop.place else ""
        if (
            hop.kind is ChoiceKind.DROP
        ):  # its place is that of the table, which was read and has no such row, or of one that drops
            table = f"; the table of {self.node(hop.switch)} is at {place}" if place else ""
            yield line("    ", Span(self.ends(hop), "bad"), table)
            return
        row = f"    row {self.column(hop.column)}{f' ({place})' if place else ''}: "
        if hop.kind in ENDS:
            yield line(row, Span(hop.ends, "unsure" if hop.outcome is Outcome.UNKNOWN else "bad"))
            return
        yield line(f"{row}{_kind(hop)}")
        if hop.chosen:
            yield from self._chosen(hop.chosen)
        yield from (line(f"    -> {self.onto(q)}") for q in hop.out)
        if hop.ends:
            yield line("    ", Span(hop.ends, "unsure" if hop.outcome is Outcome.UNKNOWN else "bad"))

    def _chosen(self, chosen: Chosen) -> Iterator[Line]:
        for pick in chosen.picks:
            yield line(f"    {pick.stage.name} {printable(pick.stage.setting.words)}")
            yield line(f"      value 0x{pick.value:04x}, member {pick.member} of 0 to {pick.members - 1}")
        for why in chosen.why:
            yield line("    ", Span(f"{ALL_POSSIBLE}: ", "unsure"), printable(why))


def _kind(hop: Hop) -> str:
    if hop.kind is ChoiceKind.DELIVER:
        return "to the host itself"
    if hop.chosen is None:
        links = len({q[0] for q in hop.out})
        return (
            "one link, in any of its lanes"
            if links == 1 < len(hop.out)
            else "one link"
            if links or (hop.ends and NOT_FOR_IT not in hop.ends)
            else "no link"
        )
    return "picked by load" if hop.kind is ChoiceKind.ADAPTIVE else "hashed"


def path_json(network: Network, found: Trace, source: End, target: End, header: dict[str, int]) -> Json:
    """The same as plain data."""
    told = _Data(network)
    addresses = {"sip": address_text(source), "dip": address_text(target)}
    return document(
        inputs=inputs_json(network.inputs),
        source=told.host(found.source),
        destination=told.host(found.member),
        column=encodable(network.destinations.names[found.column]),
        header={**{name: text for name, text in addresses.items() if text}, **header},
        outcome=OUTCOMES[found.outcome][0],
        certain=found.certain,
        complete=not found.cut,
        first=[told.out(q) for q in found.first],
        hops=[told.hop(hop) for hop in found.hops if hop.switch >= 0],
    )


class _Data:
    def __init__(self, network: Network) -> None:
        self.network, self.fabric = network, network.fabric

    def host(self, h: int) -> str:
        return encodable(self.fabric.node_name[int(self.fabric.host_node[h])])

    def out(self, q: State) -> Json:
        lanes = self.network.lanes
        told = {
            **link_json(self.fabric, q[0]),
            "label": encodable(lanes.label_names[q[2]]),
            "lane": encodable(lanes.lane_names[q[1]]),
        }
        if isinstance(q[2], LabelIn):
            told["column"] = encodable(self.network.destinations.names[q[2].column])
        return told

    def hop(self, hop: Hop) -> Json:
        chosen = hop.chosen or Chosen(())
        return {
            "switch": encodable(self.fabric.node_name[hop.switch]),
            "in": self.out(hop.q),
            "row": {
                "column": encodable(self.network.destinations.names[hop.column]),
                **place_json(hop.place),
            },
            "kind": ChoiceKind(hop.kind or 0).name.lower(),
            "known": not chosen.why,
            "unknown": [encodable(why) for why in chosen.why],
            "hashes": [_pick(pick) for pick in chosen.picks],
            "out": [self.out(q) for q in hop.out],
            "ends": hop.ends,
        }


def _pick(pick: Pick) -> Json:
    words = encodable(pick.stage.setting.words)
    return {
        "stage": pick.stage.name,
        "setting": words,
        "value": f"0x{pick.value:04x}",
        "member": pick.member,
        "of": pick.members,
    }
