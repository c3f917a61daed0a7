"""pauseproof: decides from cabling and forwarding tables whether a lossless fabric can deadlock.

``pauseproof.verify(pauseproof.load(path))`` is the whole library in a line.
"""

__version__ = "0.1.0"
