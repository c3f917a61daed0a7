"""Cheapest choices, against all of them tried."""

from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from examples import on_some
from pauseproof.repair.program import Program


@st.composite
def programs(draw: st.DrawFn) -> Program:
    program = Program()
    n = draw(st.integers(1, 6))
    for _ in range(n):
        program.variable(draw(st.integers(0, 3)))
    some = st.frozensets(st.integers(0, n - 1), max_size=4)
    for plus, minus in draw(st.lists(st.tuples(some, some), min_size=1, max_size=6)):
        if draw(st.integers(0, 4)):
            program.some(sorted(plus), sorted(minus - plus))
        else:
            program.row((), sorted(minus), -1)
    return program


def meets(program: Program, chosen: frozenset[int]) -> bool:
    rows = zip(program.plus, program.minus, program.least, strict=True)
    return all(len(chosen & set(plus)) - len(chosen & set(minus)) >= least for plus, minus, least in rows)


@on_some
@given(programs())
def test_proposed_proved_and_bounded(program: Program) -> None:
    n = range(len(program.cost))
    every = map(frozenset, chain.from_iterable(combinations(n, k) for k in range(len(n) + 1)))
    prices = [program.price(chosen) for chosen in every if meets(program, chosen)]
    proposed = program.propose(10)
    if not prices:
        assert proposed is None and program.cheapest(10) == "none"
        return
    assert proposed is not None and meets(program, proposed)
    assert program.price(proposed) == min(prices) == program.cheapest(10)
    assert program.bound() <= min(prices)


def test_nothing_to_choose() -> None:
    program = Program()
    assert (program.propose(1), program.bound(), program.cheapest(1)) == (frozenset(), 0, 0)
    program.some([])
    assert (program.propose(1), program.cheapest(1)) == (None, "none")


def test_disjoint_rows_are_bounded_by_their_number() -> None:
    program = Program()
    for _ in range(50):
        program.some([program.variable(1), program.variable(1)])
    assert program.bound() == 50
