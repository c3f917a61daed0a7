"""How many examples the property tests try: 300, or what ``PAUSEPROOF_EXAMPLES`` says."""

import os

from hypothesis import settings

on_many = settings(max_examples=int(os.environ.get("PAUSEPROOF_EXAMPLES", "300")), deadline=None)
