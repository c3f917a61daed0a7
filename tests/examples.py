"""How many examples property tests try: 300, or what ``PAUSEPROOF_EXAMPLES`` says; a third or a sixth of it where slow."""

import os

from hypothesis import settings

_EXAMPLES = int(os.environ.get("PAUSEPROOF_EXAMPLES", "300"))
on_many = settings(max_examples=_EXAMPLES, deadline=None)
on_some = settings(max_examples=_EXAMPLES // 3, deadline=None)
on_few = settings(max_examples=_EXAMPLES // 6, deadline=None)
