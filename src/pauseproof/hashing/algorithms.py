"""Hash functions by name: the algorithms that users and switches speak of, and the modelled function each stands for.

Names of this project are those of :mod:`pauseproof.hashing.crc`, ``jenkins-lo`` and ``jenkins-hi``. SAI, the interface below
SONiC, has names and numbers (sai_hash_algorithm_t), and leaves to each vendor what they compute: what Broadcom's chips are
publicly known to do is taken, said as an assumption, and can be refuted by measured samples.
"""

from dataclasses import dataclass

from pauseproof.hashing import crc
from pauseproof.hashing.algebra import LOW16, Word, shr
from pauseproof.hashing.function import HashFunction
from pauseproof.hashing.headers import Headers
from pauseproof.hashing.jenkins import lookup3
from pauseproof.hashing.names import FIELDS, FIVE_TUPLE, JENKINS_HI, JENKINS_LO, MODELLED
from pauseproof.hashing.rtag7 import PLAIN, Engine, Rtag7, rotated_right
from pauseproof.hashing.symmetric import Symmetric

ALGORITHMS = MODELLED


@dataclass(frozen=True)
class Jenkins:
    """Half of lookup3 over an engine's bins, with the seed as lookup3's own: a layout of ours, vendors have published none."""

    name: str
    engine: Engine = PLAIN
    offset: int = 0

    bits = 16
    linear = False

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the engine looks at."""
        return self.engine.fields

    def value(self, h: Headers) -> Word:
        """The value after rotation."""
        hashed = lookup3(self.engine.message(h)[:6], self.engine.seed)
        return rotated_right(hashed & LOW16 if self.name == JENKINS_LO else shr(hashed, 16), self.offset)


def hash_function(
    algorithm: str,
    fields: tuple[str, ...] = FIVE_TUPLE,
    *,
    seed: int = 0,
    offset: int = 0,
    symmetric: bool = False,
    preprocess: bool = False,
) -> HashFunction:
    """The function of that name. Raises ValueError for a name, field, seed or offset that there is not.

    >>> hash_function("crc16", seed=10).name
    'crc16'
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"no modelled hash {algorithm!r}; expected one of {', '.join(ALGORITHMS)}")
    if unknown := [field for field in fields if field not in FIELDS]:
        raise ValueError(f"no hash field {unknown[0]!r}; expected some of {', '.join(FIELDS)}")
    if not 0 <= seed < 1 << 32 or not 0 <= offset < 16:
        raise ValueError(f"seed {seed} and offset {offset}; expected 32 bits, and 0 to 15")
    engine = Engine(tuple(fields), seed, preprocess)
    kind = Rtag7 if algorithm in crc.FUNCTIONS else Jenkins
    made: HashFunction = kind(algorithm, engine, offset)
    return Symmetric(made) if symmetric else made


@dataclass(frozen=True)
class SaiAlgorithm:
    """One value of sai_hash_algorithm_t. ``stands_for`` is an algorithm of ours, empty where nothing is hashed.

    ``spread``: ``hash``, or ``packet`` where each packet is placed anew whatever flow it is of, or ``none`` where all packets
    go one way. ``remark`` says what of it is the vendor's affair.
    """

    name: str
    number: int
    stands_for: str = ""
    spread: str = "hash"
    remark: str = ""


_BROADCOM = "modelled as Broadcom's {}; SAI leaves the polynomial, the layout and the bits used to the vendor"
SAI = (
    SaiAlgorithm("CRC", 0, "crc16", remark=_BROADCOM.format("CRC16-BISYNC")),
    SaiAlgorithm("XOR", 1, "xor16", remark=_BROADCOM.format("XOR16")),
    SaiAlgorithm("RANDOM", 2, spread="packet", remark="each packet at random"),
    SaiAlgorithm("CRC_32LO", 3, "crc32lo", remark=_BROADCOM.format("CRC32, low half")),
    SaiAlgorithm("CRC_32HI", 4, "crc32hi", remark=_BROADCOM.format("CRC32, high half")),
    SaiAlgorithm("CRC_CCITT", 5, "ccitt", remark=_BROADCOM.format("CRC16-CCITT")),
    SaiAlgorithm("CRC_XOR", 6, "crc16-xor8", remark=_BROADCOM.format("CRC16 with XOR8")),
    SaiAlgorithm("NONE", 7, spread="none", remark="nothing is hashed; which member takes all packets is the vendor's affair"),
    SaiAlgorithm("ROUND_ROBIN", 8, spread="packet", remark="each packet to the next member"),
    SaiAlgorithm("JENKINS_LO", 9, JENKINS_LO, remark="modelled as lookup3, low half; its layout has not been published"),
    SaiAlgorithm("JENKINS_HI", 10, JENKINS_HI, remark="modelled as lookup3, high half; its layout has not been published"),
)
_PREFIX = "SAI_HASH_ALGORITHM_"


def sai_algorithm(name: str) -> SaiAlgorithm | None:
    """By SAI's or SONiC's spelling (``crc``, ``CRC_32LO``, ``crc-xor``, with or without SAI's prefix) or its number.

    >>> sai_algorithm("crc-ccitt").stands_for
    'ccitt'
    """
    word = name.strip().upper().replace("-", "_").removeprefix(_PREFIX)
    aliases = {"CRC32LO": "CRC_32LO", "CRC32HI": "CRC_32HI", "CCITT": "CRC_CCITT"}
    word = aliases.get(word, word)
    return next((known for known in SAI if word in (known.name, str(known.number))), None)
