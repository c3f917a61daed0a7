"""What the classes rest on, in sentences that a report prints."""

from pauseproof.routing.class_turns import NOT_KNOWN, Turns

NOTHING_SAID = "no DSCP, PFC or priority group was read or declared: all traffic rides one lossless priority"
HOSTS = "a host classes packets as the switch port that it is cabled to"
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
    if not declared.traffic:
        dscps = {d for side in turns.host_sides for d in side.lossless_dscps}
        out.append(DATA.format(", ".join(map(str, sorted(dscps))) or "none"))
    unknown = [name for name, sides in zip(names, turns.side_of_port, strict=True) if NOT_KNOWN in sides]
    if unknown:
        out.append(f"the classes of {counted(unknown)} are not known")
    return tuple(out)


def counted(names: list[str], what: str = "switches") -> str:
    """A few names, or how many there are.

    >>> counted(["a", "b"]), counted(["a", "b", "c", "d"])
    ('switches a, b', '4 switches (a, b, c, ...)')
    """
    few = ", ".join(names[:3])
    return f"{what} {few}" if len(names) < 4 else f"{len(names)} {what} ({few}, ...)"
