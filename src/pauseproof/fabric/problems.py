"""How many problems of one input are worth telling: the first twenty, and how many more there are."""

from collections.abc import Sequence

from pauseproof.fabric.places import BadInput, Place, Problem

MOST = 20


def refuse_if(problems: Sequence[Problem]) -> None:
    """Raise BadInput with the first MOST problems; do nothing where there are none.

    >>> refuse_if([])
    """
    if not problems:
        return
    told = list(problems[:MOST])
    if len(problems) > MOST:
        told.append(Problem(Place(problems[MOST].place.file), f"and {len(problems) - MOST} more problems like these"))
    raise BadInput(told)
