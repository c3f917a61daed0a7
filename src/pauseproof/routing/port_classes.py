"""How one switch port classes packets: DSCP -> traffic class -> priority group and queue, and what a pause stops.

A *profile* is everything that matters of a port: the port where a packet arrives picks its traffic class and, with it, the
priority group that it sits in; the port where it leaves picks its queue. A priority group that fills up pauses the
priorities that are mapped to it; a port that is paused on a priority stops the queue that is mapped to that.

Notation: ``t`` a traffic class, ``g`` a priority group, ``p`` a PFC priority, ``q`` a queue. A priority group is a lane.
"""

from dataclasses import dataclass, replace

from pauseproof.readers.declared import Classes

DSCPS, TRAFFIC_CLASSES, PRIORITIES = 64, 16, 8
NO_QUEUE = -1  # a pause of this priority is not heard


@dataclass(frozen=True)
class Profile:
    """The classes of one port.

    ``tc_of_dscp`` [64], ``group_of_tc`` [16], ``queue_of_tc`` [16]; ``dscp_of_tc`` [16] rewrites packets that leave, -1
    where it does not. ``pauses[g]`` are the priorities that a full group ``g`` pauses; ``stops`` [8] is the queue that a pause
    heard on priority ``p`` stops, NO_QUEUE where the port does not hear it. ``lossy_groups`` have no headroom.
    """

    tc_of_dscp: tuple[int, ...]
    group_of_tc: tuple[int, ...]
    queue_of_tc: tuple[int, ...]
    dscp_of_tc: tuple[int, ...]
    pauses: tuple[frozenset[int], ...]
    stops: tuple[int, ...]
    lossy_groups: frozenset[int] = frozenset()

    def lossless(self, group: int) -> bool:
        """Does a full buffer of this group pause its sender, and has it room for what is still under way?"""
        return bool(self.pauses[group]) and group not in self.lossy_groups

    @property
    def lossless_groups(self) -> tuple[int, ...]:
        """The groups that are lossless, ascending."""
        return tuple(g for g in range(PRIORITIES) if self.lossless(g))

    def groups_that_stop(self, queue: int, sender: "Profile") -> frozenset[int]:
        """The lossless groups here that can stop ``queue`` of the port at the other end of the cable."""
        return frozenset(g for g in self.lossless_groups if any(sender.stops[p] == queue for p in self.pauses[g]))


def declared_profile(classes: Classes, lossless: tuple[int, ...]) -> Profile:
    """The profile of what an operator declares: a priority is a traffic class, a queue, and a group of its own or its group's.

    Where no DSCP is mapped each has the priority of its class selector (24..31: 3); where some are, the others have 0.

    >>> declared_profile(Classes(), (3,)).tc_of_dscp[26]
    3
    """
    priority = tuple(d // 8 for d in range(DSCPS)) if classes.dscp is None else (0,) * DSCPS
    plain = Profile(
        priority,
        group_of_tc=(*range(PRIORITIES), *(0,) * (TRAFFIC_CLASSES - PRIORITIES)),
        queue_of_tc=(*range(PRIORITIES), *(0,) * (TRAFFIC_CLASSES - PRIORITIES)),
        dscp_of_tc=(-1,) * TRAFFIC_CLASSES,
        pauses=tuple(frozenset({p} & set(lossless)) for p in range(PRIORITIES)),
        stops=tuple(p if p in lossless else NO_QUEUE for p in range(PRIORITIES)),
    )
    return overridden(plain, replace(classes, lossless=lossless))


def overridden(profile: Profile, classes: Classes) -> Profile:
    """The profile with what is declared in place of what was read."""
    if classes.dscp is not None:
        given = classes.dscp
        profile = replace(profile, tc_of_dscp=tuple(given.get(d, t) for d, t in enumerate(profile.tc_of_dscp)))
    group = {p: p for p in range(PRIORITIES)} | {p: min(group) for group in classes.groups or () for p in group}
    if classes.groups is not None:
        group_of_tc = tuple(group.get(g, g) for g in profile.group_of_tc)
        pauses = [frozenset[int]()] * PRIORITIES
        for g, priorities in enumerate(profile.pauses):
            pauses[group[g]] |= priorities
        profile = replace(profile, group_of_tc=group_of_tc, pauses=tuple(pauses))
    if classes.lossless is not None:
        on = set(classes.lossless)
        pauses = [frozenset(p for p in on if group[p] == g) for g in range(PRIORITIES)]
        queue = tuple(p if p in on else NO_QUEUE for p in range(PRIORITIES))
        stops = tuple(
            old if p in on and old != NO_QUEUE else new for p, (old, new) in enumerate(zip(profile.stops, queue, strict=True))
        )
        profile = replace(profile, pauses=tuple(pauses), stops=stops, lossy_groups=frozenset())
    return profile
