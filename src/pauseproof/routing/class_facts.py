"""What was said on the classes of an Ethernet fabric: kept for whoever asks what would be if it were said otherwise."""

from dataclasses import dataclass

from pauseproof.readers.declared import Declarations
from pauseproof.readers.roce_records import ConfigDb


@dataclass(frozen=True)
class ClassFacts:
    """The configurations that were read, and what was declared."""

    configs: tuple[ConfigDb, ...]
    declared: Declarations
