"""What every hash function is: a value of some bits for each packet, by one definition for arrays and for z3 terms."""

from dataclasses import dataclass
from typing import Protocol

from pauseproof.hashing.algebra import Word
from pauseproof.hashing.headers import Headers


class HashFunction(Protocol):
    """A modelled hash. None of them was checked on hardware; Linux's was checked against the kernel."""

    @property
    def name(self) -> str:
        """The algorithm, as users write it."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of :data:`pauseproof.hashing.headers.FIELDS` that it looks at."""

    @property
    def bits(self) -> int:
        """How many low bits of a value can be set."""

    @property
    def linear(self) -> bool:
        """Is every bit of the value an exclusive-or of header bits and a constant (affine over GF(2))?"""

    def __hash__(self) -> int: ...

    def value(self, h: Headers) -> Word:
        """The value for each packet."""


@dataclass(frozen=True)
class Wrapped:
    """What a function that is made of another has from it."""

    function: HashFunction

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.name

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that it looks at."""
        return self.function.fields

    @property
    def bits(self) -> int:
        """How many bits a value has."""
        return self.function.bits
