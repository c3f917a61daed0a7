"""The theorem files of proofs/families as text, and the two solvers' answers to them.

A *theorem* is a file ``NAME.smt2`` that no model satisfies; its *twin* ``NAME.twin.smt2`` has one hypothesis less and a model.
In both, the commands up to ``; == The rank`` (``; == The loop`` in a twin) are the *rule*; a *hypothesis* is a line of the rule
that ends in a comment and stands in a conjunction; the last assertion of a theorem is the *claim*, denied.
"""

import re
from collections.abc import Iterator
from pathlib import Path

FAMILIES = Path(__file__).resolve().parents[2] / "proofs" / "families"
SECONDS = 10

THEOREMS = sorted(path for path in FAMILIES.glob("*.smt2") if not path.name.endswith(".twin.smt2"))
TWINS = sorted(FAMILIES.glob("*.twin.smt2"))


def read(name: str) -> str:
    """The text of one theorem."""
    return (FAMILIES / f"{name}.smt2").read_text()


def twin_of(theorem: Path) -> Path:
    """Where the twin of a theorem belongs."""
    return theorem.with_suffix(".twin.smt2")


def status(text: str) -> str:
    """What the file itself says its answer is.

    >>> status("(set-info :status unsat)")
    'unsat'
    """
    (declared,) = re.findall(r"\(set-info :status (\w+)\)", text)
    return str(declared)


def commands(text: str) -> list[str]:
    """The commands of a file, without comments, each on one line.

    >>> commands("(push 1) ; one\\n(assert\\n  (= 1 1))")
    ['(push 1)', '(assert (= 1 1))']
    """
    return list(_top_level(" ".join(re.sub(r";.*", "", text).split())))


def _top_level(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            yield text[start : at + 1].strip()
            start = at + 1


def rule(text: str) -> list[str]:
    """The commands that describe the fabric and its forwarding."""
    (part,) = re.findall(r"; == The rule\n(.*?); == The ", text, flags=re.DOTALL)
    return commands(part)


def hypotheses(text: str) -> list[str]:
    """The lines of the rule that can be dropped one by one."""
    return re.findall(r"^    \S.* ; .*$", text, flags=re.MULTILINE)


def dropped(text: str, hypothesis: str) -> str:
    """The file without one hypothesis."""
    assert text.count(hypothesis) == 1
    return text.replace(hypothesis, "    true")


def definitions(text: str, prefix: str) -> list[str]:
    """The commands that define functions whose names start so."""
    return [command for command in commands(text) if command.startswith(f"(define-fun {prefix}")]


def redefined(text: str, definition: str, body: str) -> list[str]:
    """The commands of a file, one function having another body."""
    (head,) = re.findall(r"\(define-fun \S+ \((?:\(\S+ \w+\) ?)*\) \w+ ", definition)
    return [f"{head}{body})" if command == definition else command for command in commands(text)]


def without_claim(text: str) -> list[str]:
    """The commands of a theorem but the last assertion."""
    *before, claim, check = commands(text)
    assert claim.startswith("(assert (not ") and check == "(check-sat)"
    return [*before, check]


def z3_answer(text: str) -> str:
    """What z3 says: sat, unsat or unknown."""
    import z3

    solver = z3.Solver()
    solver.set("timeout", SECONDS * 1000)
    solver.from_string(text)
    return str(solver.check())


def cvc5_answer(text: str) -> str:
    """What cvc5 says: sat, unsat or unknown. The declared status is kept from it: it would refuse another answer."""
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(SECONDS * 1000))
    parser = cvc5.InputParser(solver)
    undeclared = re.sub(r"\(set-info :status \w+\)", "", text)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, undeclared, "theorem")
    names, answer = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, names)).strip()
    return answer
