"""The dependency graph as SMT-LIB2 difference logic, so that any solver can confirm a verdict.

One integer a buffer, its rank; each choice set says that one of its members ranks higher. ``sat`` means that a rank exists:
no stuck set (theorem 1 of proofs/soundness.md). ``unsat`` means that there is a stuck set.
"""

from collections.abc import Iterator

from pauseproof.deadlock.stuck import choices_of
from pauseproof.dependency.graph import Dependencies


def smtlib(graph: Dependencies, names: list[str], expected: str) -> Iterator[str]:
    """The lines of the file; ``names`` [B] are the buffers' names, ``expected`` the status, sat or unsat."""
    yield "; A rank for every buffer, such that every choice set has a member of higher rank: sat iff no stuck set exists."
    yield "(set-logic QF_IDL)"
    yield f"(set-info :status {expected})"
    for b, name in enumerate(names):
        yield f"(declare-const r{b} Int) ; {name}"
    for b in range(graph.n_buffers):
        for choice in choices_of(graph, b):
            above = [f"(< r{b} r{after})" for after in choice]
            yield f"(assert {above[0] if len(above) == 1 else f'(or {chr(32).join(above)})'})"
    yield "(check-sat)"
