"""One packet at one decision, as far as it is known: hash values, members, and the links that remain possible.

What is not known is never guessed: every member stays possible, and the reason is named.
"""

from dataclasses import dataclass
from typing import NamedTuple

from pauseproof.hashing.decision import Decision, Stage
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.linear import fast
from pauseproof.routing.groups import Links

NOT_GIVEN = "{} hashes {}, which was not given"


class Pick(NamedTuple):
    """What one stage did with the packet: the value of its function, and the member of so many."""

    stage: Stage
    value: int
    member: int
    members: int


@dataclass(frozen=True)
class Chosen:
    """``links`` that the packet may take, ascending: one where it is known. ``why`` it is not known, else empty."""

    links: Links
    picks: tuple[Pick, ...] = ()
    why: tuple[str, ...] = ()


def choose(decision: Decision, h: Headers | None, given: frozenset[str]) -> Chosen:
    """The links of ``decision`` for one packet of which the fields ``given`` are known (None: no headers at all)."""
    members, picks, why = decision.grouping.members, list[Pick](), list[str]()
    if decision.grouping.unclear and len(decision.group) > 1:
        return Chosen(decision.group, why=(decision.grouping.unclear,))
    chosen = list(range(len(members)))
    if decision.ecmp is not None:
        picked = _ask(decision.ecmp, h, given, len(members), why)
        if picked:
            picks.append(picked)
            chosen = [picked.member]
    links: set[int] = set()
    for m in chosen:
        stage, cables = decision.lags[m], members[m].links
        picked = _ask(stage, h, given, len(cables), why) if stage is not None and len(chosen) == 1 else None
        if picked:
            picks.append(picked)
        links |= {cables[picked.member]} if picked else set(cables)
    return Chosen(tuple(sorted(links)), tuple(picks), tuple(dict.fromkeys(why)) if len(links) > 1 else ())


def _ask(stage: Stage, h: Headers | None, given: frozenset[str], n: int, why: list[str]) -> Pick | None:
    """What the stage picks; None where that is not known, and then why."""
    setting, function = stage.setting, stage.setting.function()
    if setting.kind != "hash":
        why.append(f"{stage.name} {setting.words}")
    elif function is None or setting.open:
        why.extend(f"{stage.name} {reason}" for reason in setting.open or (setting.words,))
    elif h is None:
        why.append(f"the addresses that {stage.name} hashes are not known")
    elif missing := [field for field in function.fields if field not in given]:
        why.append(NOT_GIVEN.format(stage.name, ", ".join(missing)))
    else:
        value = fast(function, h.family).value(h)
        return Pick(stage, int(value[0]), int(stage.selection.member(value)[0]), n)
    return None
