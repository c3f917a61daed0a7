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


HEAT = ('"#c9ced6"', '"#f0c987"', '"#e8935a"', '"#cf4f36"', '"#7f1d14"')  # darker is busier, in print too


def heat(busy: float) -> str:
    """The colour of a link that needs this part, 0 to 1, of the longest time of all."""
    return HEAT[min(int(busy * len(HEAT)), len(HEAT) - 1)]
