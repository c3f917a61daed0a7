"""How fast headers are hashed: seconds for many random IPv4 five-tuples, by function.

Run ``python benchmarks/hash_headers.py [HEADERS]`` (10,000,000 where not given). Linear functions go by tables that are made
from their definition; the others are computed as they are defined.
"""

import sys
import time

import numpy as np

from pauseproof.hashing.algorithms import ALGORITHMS, hash_function
from pauseproof.hashing.headers import Headers, roce
from pauseproof.hashing.linear import fast
from pauseproof.hashing.linux import Linux


def random_headers(count: int) -> Headers:
    """Any addresses, source ports as RoCE has them."""
    rng = np.random.default_rng(1)
    sip, dip = rng.integers(0, 1 << 32, (2, count), np.uint64)
    return roce(4, (0, sip), (0, dip), rng.integers(0xC000, 1 << 16, count, np.uint64))


def main() -> None:
    """Print a line for each function."""
    h = random_headers(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
    for function in (*(hash_function(name, seed=10, offset=3) for name in ALGORITHMS), Linux(1, 12345)):
        begun = time.perf_counter()
        fast(function, 4).value(h)
        print(f"{function.name:16} {len(h):>12,} headers {time.perf_counter() - begun:8.2f} s")


if __name__ == "__main__":
    main()
