"""Colours and pens. The loop differs from its context in width as well as colour, so that a black-and-white print shows it."""

LOOP = '"#b3261e"'
CONTEXT = '"#8a8f98"'
TEXT = '"#1f2328"'
QUIET_TEXT = '"#57606a"'
LOOP_FILL = '"#fdecea"'
TIER_FILL = ('"#f6f8fa"', '"#e7f0fa"', '"#dcefe3"', '"#fdf3d7"', '"#efe6f7"')
FONT = '"Helvetica"'


def tier_fill(tier: int) -> str:
    """The fill of a node of ``tier`` that is not on a loop; hosts are tier 0."""
    return TIER_FILL[min(tier, len(TIER_FILL) - 1)]
