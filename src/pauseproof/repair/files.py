"""What an operator loads: the files of all offered alternatives, in a folder for each."""

from pauseproof.repair.kinds import kind
from pauseproof.repair.repair import Repair


def files_of(found: Repair) -> dict[str, str]:
    """Texts by ``KIND/NAME``; the second alternative of a kind is in ``KIND-2``, and so on."""
    out: dict[str, str] = {}
    seen: dict[str, int] = {}
    for one in found.offered:
        name = one.alternative.kind
        seen[name] = seen.get(name, 0) + 1
        folder = name if seen[name] == 1 else f"{name}-{seen[name]}"
        loadable = kind(name).loadable(found.before.asked, one.alternative)
        out |= {f"{folder}/{file}": text for file, text in loadable.items()}
    return out
