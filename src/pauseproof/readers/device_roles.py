"""What words for a device's place in a fabric say of it: is it a switch or a host?"""

import re

_SWITCH = re.compile(
    r"switch|(super-?)?spine|leaf|tor|core|agg(regation)?|edge|border|exit|router|gateway|access|distribution"
    r"|\w*router|\w*switch|(backend|mgmt)?tor\w*|leaf-?switch|spine-?switch",
    re.I,
)
_HOST = re.compile(r"hosts?|servers?|gpu|compute|clients?|storage|nic|hca|node|worker|end-?point", re.I)


def role_of(word: str) -> str:
    """``switch``, ``host``, or nothing where the word does not tell.

    >>> role_of("LeafRouter"), role_of("server"), role_of("blue")
    ('switch', 'host', '')
    """
    word = word.strip()
    if _SWITCH.fullmatch(word):
        return "switch"
    return "host" if _HOST.fullmatch(word) else ""
