"""Kind ``raises``: fewest lossless classes on Ethernet, a packet's class rising at turns such as bounces (Tagger).

Routes stay as they are. At some turns the DSCP of a packet is rewritten to that of the next lossless priority, which also picks
the egress queue: the old queue would be paused by the new class, and close the loop again. How many classes there may be is
told by the budget; of equally many, the rules that are the bounces themselves come first: they hold on other days too.
"""

from collections.abc import Mapping, Sequence

from pauseproof.deadlock.answers import Analysis
from pauseproof.fabric.model import Fabric
from pauseproof.fabric.places import BadInput
from pauseproof.fabric.tiers import UNREACHED, switch_tiers
from pauseproof.repair.alternative import Alternative, Budget, Change, NotOffered
from pauseproof.repair.classes import Raises, fewest_classes
from pauseproof.repair.dscp_plan import DscpPlan
from pauseproof.repair.flows import Flow, Tunnelled, Turn, flows_of, turn_of
from pauseproof.repair.label_plan import LabelPlan
from pauseproof.repair.rewrites import Place3, RewriteLine, place_of
from pauseproof.routing.ask import Asked

KIND = "raises"
PRIORITIES = 8
SHARED = "no pair's packets wait in a loop for their own next buffers: it is closed by multicast, or in shared egress queues"


def alternatives(asked: Asked, analysis: Analysis, budget: Budget) -> Sequence[Alternative | NotOffered]:
    """One alternative with the fewest classes found, or why classes do not help."""
    flows = flows_or_reason(asked)
    if isinstance(flows, str):
        return [NotOffered(KIND, flows)]
    lanes = {q[1] for flow in flows for q in flow.after}
    if len(lanes) != 1 or any(q[2] != after[2] for flow in flows for q, after in flow.steps()):
        return [NotOffered(KIND, "the packets on loops are in several lossless classes already")]
    found = fewest_classes(flows, bounces(asked.network.fabric, flows), PRIORITIES, budget.left)
    if found is None:
        return [NotOffered(KIND, f"no raises were found that need {PRIORITIES} classes or fewer")]
    if found.classes > budget.lossless_classes:
        needed = f"{found.classes} lossless classes are needed (at least {found.bound}), {budget.lossless_classes} are there"
        return [NotOffered(KIND, f"{needed}; see --lossless-classes")]
    return [_alternative(asked, analysis, flows, found, min(lanes))]


def unfit(asked: Asked) -> str:
    """Why labels cannot be rewritten at turns here; empty where they can."""
    if asked.network.fabric.kind != "roce":
        return "switches rewrite no service levels; see lanes"
    if asked.traffic.coupled is not None:
        return "where receiving waits for sending, a host joins the classes"
    return (DscpPlan if asked.network.class_facts is not None else LabelPlan).unfit(asked)


def flows_or_reason(asked: Asked) -> list[Flow] | str:
    """The flows that come to loops; or why rewriting labels at turns does not help."""
    if reason := unfit(asked):
        return reason
    try:
        return flows_of(asked.network, asked.traffic) or SHARED
    except Tunnelled as tunnelled:
        return str(tunnelled)


def bounces(fabric: Fabric, flows: Sequence[Flow]) -> set[Turn]:
    """The turns from down to up: packets come from a switch of a higher tier and go to one again."""
    tiers = switch_tiers(fabric)

    def rises(s: int, n: int) -> bool:
        return n < fabric.n_switches and tiers[s] != UNREACHED and tiers[n] > tiers[s]

    turns = {turn_of(q, after) for flow in flows for q, after in flow.steps()}
    found = set()
    for turn in turns:
        a, b = fabric.every_link[turn[0][0]], fabric.every_link[turn[1]]
        if rises(a.dst, a.src) and rises(a.dst, b.dst):
            found.add(turn)
    return found


def _alternative(asked: Asked, analysis: Analysis, flows: Sequence[Flow], found: Raises, lane: int) -> Alternative | NotOffered:
    plan: DscpPlan | LabelPlan
    if asked.network.class_facts is not None:
        plan = DscpPlan(asked, found.classes, lane)
        if not plan.enough:
            return NotOffered(KIND, f"{found.classes} lossless classes are needed beside those that other traffic is in")
        first = plan.sent
    else:
        plan = LabelPlan(asked, found.classes)
        labels = sorted({q[2] for flow in flows for q in flow.after})
        first = [asked.network.lanes.label_names[k] for k in labels]
    rewrites: dict[Place3, dict[str, str]] = {}
    for c, turn in sorted(found.rules):
        change = rewrites.setdefault(place_of(asked.network.fabric, turn), {})
        change |= dict.fromkeys(first, plan.new[0]) if c == 0 else {plan.new[c - 1]: plan.new[c]}
    try:
        after = plan.apply(rewrites)
    except BadInput as bad:
        return NotOffered(KIND, f"what would have to be declared does not hold together: {bad}")
    bound = 1 if analysis.adaptive else found.bound
    changes = tuple(change_of(line) for line in after.lines)
    unit = "lossless classes"
    return Alternative(KIND, found.classes, unit, bound, changes, after.network, after.traffic, after.assumptions, after.files)


def change_of(line: RewriteLine) -> Change:
    """A line of rewrites, in words and as data."""
    machine = {"switch": line.at, "in": list(line.into), "out": list(line.out), "rewrite": dict(line.change)}
    return Change(f"{line.words()}, and the new one picks the queue", machine)


def loadable(asked: Asked, alternative: Alternative) -> Mapping[str, str]:
    """Declarations that ``verify`` reads, SONiC's maps switch by switch and the rewrites; or lines of a topology file."""
    return alternative.files
