"""The pages of proofs/ name files and functions that exist."""

import importlib
import re

from pauseproof.routing.ask import ASSUMED
from proofs import smt2

README = (smt2.FAMILIES.parent / "README.md").read_text()
SOUNDNESS = (smt2.FAMILIES.parent / "soundness.md").read_text()

NAMES_IN_CODE = {
    "routing/walk.py": ["walk_pair", "walk_known", "walk_worst", "Walked", "can_be_waited_for"],
    "routing/packets.py": ["State", "LabelIn", "Step"],
    "dependency/states.py": ["explore"],
    "dependency/successors.py": ["Successors"],
    "dependency/graph.py": ["Dependencies", "dependencies", "_Hops", "_between_lossless"],
    "deadlock/stuck.py": ["peel", "Peeled"],
    "deadlock/components.py": ["cyclic_components"],
    "deadlock/loops.py": ["shortest_loop"],
    "deadlock/witness.py": ["packets"],
    "deadlock/certificate.py": ["free_certificate", "stuck_certificate"],
    "deadlock/claim.py": ["claim_of"],
    "deadlock/check.py": ["check"],
    "deadlock/check_unroutable.py": ["Unroutable"],
    "routing/tables.py": ["ChoiceTable"],
    "routing/ask.py": ["ASSUMED"],
}


def test_the_readme_lists_every_theorem() -> None:
    assert sorted(re.findall(r"^\| `(\w+)` \|", README, flags=re.MULTILINE)) == [path.stem for path in smt2.THEOREMS]


def test_files_that_the_pages_point_to_are_there() -> None:
    named = re.findall(r"families/(\w+\.smt2)", README + SOUNDNESS)
    assert named and all((smt2.FAMILIES / name).is_file() for name in named)


def test_the_names_in_the_code_table_exist() -> None:
    assert set(re.findall(r"`(\w+/\w+\.py)`", SOUNDNESS)) == {*NAMES_IN_CODE, "fabric/lanes.py"}
    for file, names in NAMES_IN_CODE.items():
        module = importlib.import_module("pauseproof." + file.removesuffix(".py").replace("/", "."))
        for name in names:
            assert hasattr(module, name) and name in SOUNDNESS, name


def test_the_assumptions_that_reports_print_are_stated_here() -> None:
    table = dict(re.findall(r"^\| (\w+) \| (.+) \|$", SOUNDNESS, flags=re.MULTILINE))
    words = {
        "whole": "buffered whole",
        "accept": "always accepts",
        "fair": "is fair",
        "queue": "paused by one next buffer alone",
        "consume": "always consume",
        "static": "do not change",
        "timers": "ignored",
    }
    for said, (name, word) in zip(ASSUMED, words.items(), strict=True):
        assert word in said and word in table[name] and f"*{name}*" in SOUNDNESS


def test_the_python_lines_of_the_readme_answer_what_the_file_declares() -> None:
    (indented,) = re.findall(r"^    import cvc5\n(?:    .*\n)+", README, flags=re.MULTILINE)
    lines = re.sub(r"^    ", "", indented, flags=re.MULTILINE)
    path = smt2.FAMILIES / "dateline_ring.smt2"
    printed: list[str] = []
    code = lines.replace("proofs/families/dateline_ring.smt2", str(path))
    exec(code, {"print": lambda text, end: printed.append(text)})
    assert "".join(printed).strip() == smt2.status(path.read_text())
