"""What the classes rest on, in sentences that a report prints."""

from collections.abc import Collection, Mapping, Sequence

from pauseproof.routing.class_turns import NOT_KNOWN, Turns

NOTHING_SAID = "no DSCP, PFC or priority group was read or declared: all traffic rides one lossless priority"
HOSTS = "a host classes packets as the switch port that it is cabled to"
SENT = "hosts send only {}"
BESIDE = "; {} {} lossless where hosts are cabled too: drop or rewrite {} at host ports"
DATA = "data is sent with every DSCP that is lossless where hosts are cabled: {}"
NO_MAP = (
    "SONiC without a map: DSCPs are in traffic class 0, traffic classes have the queue and the group of their number; "
    "a group without a buffer profile has headroom when PFC is on for it"
)
DEFAULT = "{} without classes of their own class packets as declared: priorities {} lossless"
SELECTOR = "DSCPs have the priority of their class selector (24..31: 3), as none was declared"


def assumptions_of(turns: Turns) -> tuple[str, ...]:
    """The sentences, in a fixed order."""
    classes = turns.classes
    declared, out = classes.declared, [HOSTS]
    if any(device.classes_packets for device in classes.devices.values()):
        out.append(NO_MAP)
    names = turns.fabric.node_name[: turns.fabric.n_switches]
    silent = [name for name in names if not (name in classes.devices and classes.devices[name].classes_packets)]
    if silent and classes.declares_default:
        out.append(DEFAULT.format(counted(silent), ", ".join(map(str, classes.lossless)) or "none"))
        out += [SELECTOR] if declared.classes.dscp is None else []
    lossless = {d for side in turns.host_sides for d in side.lossless_dscps}
    if declared.traffic:
        out.append(hosts_send(declared.traffic, lossless))
    else:
        out.append(DATA.format(", ".join(map(str, sorted(lossless))) or "none"))
    unknown = [name for name, sides in zip(names, turns.side_of_port, strict=True) if NOT_KNOWN in sides]
    if unknown:
        out.append(f"the classes of {counted(unknown)} are not known")
    return tuple(out)


def hosts_send(traffic: Mapping[str, Sequence[int]], lossless: Collection[int]) -> str:
    """What is declared that hosts send, and the lossless DSCPs that they are thereby taken never to send.

    >>> hosts_send({"data": (26,), "cnp": (48,)}, [26])
    'hosts send only DSCP 26 (data), DSCP 48 (cnp)'
    >>> hosts_send({"data": (26,)}, [26, 34])
    'hosts send only DSCP 26 (data); DSCP 34 is lossless where hosts are cabled too: drop or rewrite it at host ports'
    """
    said = ", ".join(f"{_dscps(sorted(sent))} ({name})" for name, sent in traffic.items() if sent) or "lossy DSCPs"
    others = sorted(set(lossless) - {dscp for sent in traffic.values() for dscp in sent})
    one = len(others) == 1
    beside = BESIDE.format(_dscps(others), "is" if one else "are", "it" if one else "them") if others else ""
    return SENT.format(said) + beside


def is_on_hosts(assumption: str) -> bool:
    """Whether a sentence says what hosts send."""
    return assumption.startswith(SENT.format(""))


def _dscps(some: Sequence[int]) -> str:
    return f"DSCP{'s' * (len(some) != 1)} {', '.join(map(str, some))}"


def counted(names: list[str], what: str = "switches") -> str:
    """A few names, or how many there are.

    >>> counted(["a", "b"]), counted(["a", "b", "c", "d"])
    ('switches a, b', '4 switches (a, b, c, ...)')
    """
    few = ", ".join(names[:3])
    return f"{what} {few}" if len(names) < 4 else f"{len(names)} {what} ({few}, ...)"
