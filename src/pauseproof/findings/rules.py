"""The rule table: everything pauseproof can find has a code, a slug, a severity, and one sentence on what to do.

PP1xx speak of deadlock, PP2xx of routing and of the input itself, PP3xx of what the verdict rests on, PP4xx of hashes, PP5xx of
the load of jobs. A code is never reused. Each rule has a page, ``docs/rules/<code>.md``.
"""

from dataclasses import dataclass
from types import MappingProxyType

from pauseproof.findings.report import Severity

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding: ``meaning`` says what was found, ``fix`` what to do when nothing better is known."""

    code: str
    slug: str
    severity: Severity
    meaning: str
    fix: str

    def __str__(self) -> str:
        return f"{self.code} {self.slug}"


RULES = (
    Rule(
        "PP101",
        "cyclic-buffer-dependency",
        ERROR,
        "Buffers wait for each other in a loop: once all of them are full, none of them ever drains.",
        "Take one turn of the loop out of the routes, or let the packets that take it change to a higher lane.",
    ),
    Rule(
        "PP102",
        "stuck-set",
        ERROR,
        "A set of buffers can fill so that every next buffer the switch may choose lies in the set.",
        "Give one of the buffers a choice that leads out of the set: an escape path, or a lane of its own.",
    ),
    Rule(
        "PP103",
        "unknown-may-loop",
        WARNING,
        "Table rows that were not read could close a loop; nothing that was read does.",
        "Add what was not read, and verify again; `pauseproof show` lists what was.",
    ),
    Rule(
        "PP104",
        "escape-set-fails",
        ERROR,
        "The lanes that were said to be an escape are none: some packet cannot go on in them, or they do not drain.",
        "Offer the escape at every choice, and route it so that its own buffers never wait in a loop.",
    ),
    Rule(
        "PP105",
        "loop-not-realizable",
        INFO,
        "Buffers wait for each other in a loop by the tables, and no packet hashes onto one of its dependencies.",
        "Nothing to do while the hash settings stay; verify again whenever seeds, offsets or groups change.",
    ),
    Rule(
        "PP106",
        "loop-not-carried",
        INFO,
        "Packets that hosts may send close a loop, and the flows of the job that was asked about do not.",
        "Take the loop out all the same: other traffic, another placement or other queue pairs may close it.",
    ),
    Rule(
        "PP201",
        "unroutable-pairs",
        WARNING,
        "Some hosts that may send to each other have no route.",
        "Look at the switches where these packets are dropped, and at the destinations they have in common.",
    ),
    Rule(
        "PP202",
        "forwarding-loop",
        ERROR,
        "Packets for a destination come back to a switch they have passed and never arrive.",
        "Correct the rows of the switches on the loop for that destination.",
    ),
    Rule(
        "PP203",
        "black-hole",
        WARNING,
        "A switch drops packets for a destination that other switches send to it.",
        "Give the switch a route for the destination, or stop its neighbours from using it for that destination.",
    ),
    Rule(
        "PP204",
        "route-to-dead-port",
        ERROR,
        "A table row sends packets out of a port that has no cable.",
        "Let the routes be computed again on the cabling as it is, or plug the cable back in.",
    ),
    Rule(
        "PP205",
        "table-disagreement",
        WARNING,
        "Two inputs give the same switch different rows for the same destination, or a path different SLs.",
        "Take both dumps again at the same moment, or verify them one at a time; leave out what was replaced.",
    ),
    Rule(
        "PP206",
        "table-missing",
        WARNING,
        "A switch that is cabled has no forwarding table in the input.",
        "Dump the tables of every switch and verify again.",
    ),
    Rule(
        "PP207",
        "table-truncated",
        WARNING,
        "A forwarding table ends before its last row; the rows behind the cut are unknown.",
        "Take the dump again and check that it ends with the trailer of its last switch.",
    ),
    Rule(
        "PP208",
        "dump-fts-top-lid",
        WARNING,
        "A known defect of dump_fts and ibroute lost the highest LID in every table; its rows are unknown.",
        "Add opensm-lfts.dump or opensm.fdbs, which do not have this defect.",
    ),
    Rule(
        "PP209",
        "repeated-stale-block",
        WARNING,
        "Two blocks of 64 rows in a row are the same: the dumping tool may have printed an old block twice.",
        "Take the dump again and look for errors on its stderr.",
    ),
    Rule(
        "PP210",
        "lid-without-owner",
        INFO,
        "The tables have rows for a LID that no port in the input owns.",
        "Nothing to do when the port has left the fabric; else add cabling that holds it.",
    ),
    Rule(
        "PP211",
        "sl2vl-missing",
        WARNING,
        "Paths use SLs other than 0, but the SL-to-VL map of a turn was not read.",
        "Add opensm-sl2vl.dump (run OpenSM with -Q) or an .slvl file.",
    ),
    Rule(
        "PP212",
        "sl2vl-folded",
        INFO,
        "A port has fewer VLs than the SLs in use, so several SLs share a lane there.",
        "Raise the operational VLs of the port, or use no more SLs than it has VLs.",
    ),
    Rule(
        "PP213",
        "path-sl-missing",
        WARNING,
        "Path SLs were read, but some pairs that may send have none; their SL is unknown.",
        "Dump the path records of every pair, or verify with --all-on-sl N if applications ignore them.",
    ),
    Rule(
        "PP214",
        "multicast-matrix-skipped",
        WARNING,
        "Multicast rows in a form that is not read were skipped; the verdict does not cover them.",
        "Add opensm.mcfdbs to include multicast.",
    ),
    Rule(
        "PP215",
        "cabling-disagreement",
        WARNING,
        "Two inputs cable the same port to different ports.",
        "Take both dumps again at the same moment, or verify with one of them.",
    ),
    Rule(
        "PP216",
        "cabling-only-in-one",
        INFO,
        "A cable is in one input and missing from another that should hold it.",
        "Take both dumps again at the same moment.",
    ),
    Rule(
        "PP217",
        "wrong-host",
        ERROR,
        "Packets for a destination are handed to a host that is not the destination.",
        "Correct the row of the last switch for that destination.",
    ),
    Rule(
        "PP218",
        "livelock",
        WARNING,
        "Switches that pick a port by load can send a packet round and round without ever delivering it.",
        "Leave only ports that bring the packet nearer to its destination in the adaptive groups.",
    ),
    Rule(
        "PP219",
        "cabling-left-out",
        INFO,
        "A cabling file speaks of something that is no cable between two ports of this fabric; it was left out.",
        "Nothing to do where that is meant; else tell the cable in a form that names a device and a port at both ends.",
    ),
    Rule(
        "PP220",
        "next-hop-unknown",
        WARNING,
        "A route's next hop is an address that no neighbour owns, so where the switch sends these packets is unknown.",
        "See whether addresses and cabling are of the same moment as the route, and declare what is missing.",
    ),
    Rule(
        "PP221",
        "uncabled-link",
        WARNING,
        "Two switches share a subnet of two addresses, or routes lead out of a port, and no input cables it.",
        "Add the cable to the cabling; until then packets that leave by such a port may come back by any other.",
    ),
    Rule(
        "PP222",
        "subnet-without-ports",
        ERROR,
        "A switch has a subnet on a VLAN whose member ports were not read: the hosts there are not covered.",
        "Add the switch's configuration (VLAN_MEMBER), or name the ports under `vlans:` in pauseproof.yaml.",
    ),
    Rule(
        "PP223",
        "switch-without-cables",
        WARNING,
        "A table was read for a switch that is cabled to no other switch.",
        "Add its cables to the cabling, or see whether cabling and tables call it by different names.",
    ),
    Rule(
        "PP224",
        "valley-path",
        WARNING,
        "A switch sends packets up again that came down to it from a higher tier: most loops of buffers begin so.",
        "Keep routes from being passed from one upper switch to another by a lower one (valley-free BGP policies).",
    ),
    Rule(
        "PP225",
        "asymmetric-ecmp",
        INFO,
        "A switch hashes over fewer next hops than its peers do, or a cable carries packets one way only.",
        "See whether a link, a session or a route is missing there.",
    ),
    Rule(
        "PP226",
        "route-not-installed",
        WARNING,
        "A device chose a route that is not in its forwarding table, or not in its hardware.",
        "See why it was refused: a full table, a next hop that is not resolved, or a dump taken while routes changed.",
    ),
    Rule(
        "PP227",
        "lossless-class-falls-lossy",
        WARNING,
        "Packets of a lossless class come to a port that takes them for lossy: under load they are dropped there.",
        "Give the DSCP a traffic class, a priority group and PFC there, as on the ports before it, or send another DSCP.",
    ),
    Rule(
        "PP228",
        "pause-misses-queue",
        WARNING,
        "Packets wait in an egress queue that the pause of their own class does not stop: they overrun a full buffer.",
        "Let the class that a packet is given pick its queue, and map the priority that its group pauses to that queue.",
    ),
    Rule(
        "PP301",
        "depends-on-path-sl",
        INFO,
        "The fabric is deadlock-free only while every application sends on the SL of its path record.",
        "Make applications ask the SA for the SL, or use a routing engine that is safe on one SL.",
    ),
    Rule(
        "PP302",
        "other-traffic-differs",
        INFO,
        "The verdict would be another one if more senders were counted: switches, or aggregation nodes.",
        "Verify with the --traffic that fits what your hosts really do.",
    ),
    Rule(
        "PP303",
        "depends-on-adaptive",
        INFO,
        "The verdict rests on what switches that pick a port by load do with a packet that waits.",
        "Ask the vendor whether the choice stays open until the packet leaves, and say so with --adaptive.",
    ),
    Rule(
        "PP401",
        "hash-unknown",
        INFO,
        "A switch hashes flows over several links, and some setting of that hash is not known.",
        "Add the dump that tells it, or declare it under `hashing:`; `pauseproof show` lists what is known of each switch.",
    ),
    Rule(
        "PP402",
        "fixed-source-port",
        WARNING,
        "All RoCE traffic has one UDP source port, so that its flows look alike to switches that hash on ports.",
        "Let the port vary with the queue pair or the flow label, or hash on the destination queue pair.",
    ),
    Rule(
        "PP403",
        "hash-without-flow-fields",
        WARNING,
        "A hash looks at nothing that tells the queue pairs of two hosts apart: all of them take one path.",
        "Add the UDP source port, or the destination queue pair of the BTH, to the fields.",
    ),
    Rule(
        "PP404",
        "lag-hash-repeats-ecmp",
        WARNING,
        "The cable of a bundle is picked by the hash that picked the bundle: some cables are never taken.",
        "Give the LAG hash another offset, function or set of fields; another seed does not help a linear hash.",
    ),
    Rule(
        "PP405",
        "hash-seed-beyond-range",
        INFO,
        "A seed is larger than what its configuration documents: the range of SONiC's hash seeds is 0 to 15.",
        "Check on the switch what the seed has become, or take one from 0 to 15.",
    ),
    Rule(
        "PP406",
        "only-seeds-differ",
        WARNING,
        "The hashes of successive switches are linear and differ by their seeds alone, which parts no flows.",
        "Give one of the tiers another offset, function or set of fields.",
    ),
    Rule(
        "PP407",
        "hash-default-shadowed",
        INFO,
        "SONiC takes a type of switch for another one and gives it that one's default seed.",
        "Set ecmp_hash_seed in DEVICE_METADATA where the tiers need seeds of their own.",
    ),
    Rule(
        "PP408",
        "hash-member-without-share",
        WARNING,
        "A group has fewer buckets than it needs: some next hop gets none of them and no flow.",
        "Give the group at least as many buckets as it has next hops.",
    ),
    Rule(
        "PP409",
        "flows-are-spread",
        INFO,
        "Switches place packets one by one, or move flows by load: no flow has a path of its own there.",
        "Make sure that hosts take packets out of order; for load an ideal split is assumed, for deadlock a committed choice.",
    ),
    Rule(
        "PP410",
        "hash-polarization",
        WARNING,
        "Hashes on one path repeat each other: flows that the first one put together are not parted by the next.",
        "Give the tiers different offsets, polynomials or fields; of a linear hash another seed alone parts no flows.",
    ),
    Rule(
        "PP411",
        "unreached-members",
        WARNING,
        "Members of a group carry nothing, because earlier hashes send every packet elsewhere that would pick them.",
        "Give a tier whose hash repeats another one a new offset, polynomial or fields: `pauseproof hash` proposes a change.",
    ),
    Rule(
        "PP412",
        "chains-not-counted",
        INFO,
        "The fabric is so large that chains of hashes are not counted along with the verdict.",
        "Run `pauseproof hash PATH`.",
    ),
    Rule(
        "PP501",
        "hot-link",
        WARNING,
        "One link carries so much of the job that a phase takes longer than on a perfectly spread fabric.",
        "Spread the flows that the report names: another hash, more QPs or adaptive routing; on InfiniBand routes or LMC.",
    ),
    Rule(
        "PP502",
        "idle-links",
        WARNING,
        "Links between switches serve no destination at all: no table sends anybody's packets over them.",
        "Use a routing engine that balances over all tiers, or add the missing next hops.",
    ),
    Rule(
        "PP503",
        "incast",
        WARNING,
        "Many hosts send to one at once, and its link needs longer than any of them: the switch before it pauses them all.",
        "Send in turns, or let the switches aggregate; more buffer only moves the pause.",
    ),
    Rule(
        "PP504",
        "job-not-delivered",
        ERROR,
        "Some of the job's bytes never come to their receiver.",
        "Verify the fabric: its findings name the switches that drop packets or send them round.",
    ),
    Rule(
        "PP505",
        "slowdown-not-sampled",
        INFO,
        "Hashes or headers are not known, and the job has too many flows to draw: its slowdown is a lower bound.",
        "Say the hashes and source ports of the job, or ask about a part of it.",
    ),
)

BY_CODE = MappingProxyType({rule.code: rule for rule in RULES})
BY_SLUG = MappingProxyType({rule.slug: rule for rule in RULES})


class UnknownRule(KeyError):
    """Neither a code nor a slug of the table; the message names the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


def rule(name: str) -> Rule:
    """The rule with this code or slug, in any case. Raises UnknownRule.

    >>> rule("pp101").slug
    'cyclic-buffer-dependency'
    >>> rule("stuck-sets")
    Traceback (most recent call last):
    pauseproof.findings.rules.UnknownRule: 'stuck-sets' is not a rule; did you mean 'stuck-set'?
    """
    found = BY_CODE.get(name.upper()) or BY_SLUG.get(name.lower())
    if found is None:
        raise UnknownRule(f"{name!r} is not a rule{_nearest(name)}")
    return found


def _nearest(name: str) -> str:
    """Which slug was meant; of numbers, which say nothing of each other, the ranges that there are."""
    if name[:2].upper() == "PP" and name[2:].isdecimal():
        return f"; the rules are {', '.join(code_ranges())}; `pauseproof explain` lists them"
    from pauseproof.readers.suggest import did_you_mean, nearest

    near = nearest(name.lower(), sorted(BY_SLUG))
    return f"; {did_you_mean(near)}" if near else "; `pauseproof explain` lists them"


def code_ranges() -> list[str]:
    """From the first to the last code of each hundred.

    >>> code_ranges()[0]
    'PP101 to PP106'
    """
    hundreds = dict.fromkeys(code[:3] for code in BY_CODE)
    codes = [[code for code in BY_CODE if code.startswith(hundred)] for hundred in hundreds]
    return [f"{min(some)} to {max(some)}" if len(some) > 1 else some[0] for some in codes]
