"""``ibnetdiscover --cache FILE``: a binary file, recognised and refused; ibnetdiscover itself turns it into text.

The magic number and the version open the file, in network byte order or in the writing machine's (rdma-core
libibnetdisc/ibnetdisc_cache.c says the one and has written the other).
"""

from typing import NoReturn

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.source import Source

NAME = "ibnetdiscover-cache"

MAGIC = bytes.fromhex("8FE7832B")


def matches(head: bytes) -> bool:
    """Whether the file opens with the magic number."""
    return head[:4] in (MAGIC, MAGIC[::-1])


def read(source: Source) -> NoReturn:
    """Raises BadInput, always, with the command that makes a file that can be read."""
    said = f"is a binary cache of ibnetdiscover; expected text: ibnetdiscover --load-cache {source.path} > {source.path}.txt"
    raise BadInput.at(Place(source.path), said)
