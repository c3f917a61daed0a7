import math

import pytest

from pauseproof.drawings.ring import Ring, beside, side_around


@pytest.mark.parametrize("n", [2, 3, 5, 40])
def test_neighbours_are_a_side_apart(n: int) -> None:
    ring = Ring(n, 150.0)
    for i in range(n):
        assert math.dist(ring.at(i), ring.at(i + 1)) == pytest.approx(150.0)


def test_the_first_is_at_the_top_and_the_second_to_its_right() -> None:
    ring = Ring(4)
    assert ring.at(0) == pytest.approx((0.0, ring.radius))
    assert ring.at(1) == pytest.approx((ring.radius, 0.0))


@pytest.mark.parametrize("n", [3, 5, 12])
def test_words_stand_outside_the_circle(n: int) -> None:
    ring = Ring(n)
    for i in range(n):
        x, y = beside(ring.at(i), ring.at(i + 1), "port 1 → 2", "VL 0")
        assert math.hypot(x, y) > math.hypot(*[(a + b) / 2 for a, b in zip(ring.at(i), ring.at(i + 1), strict=True)])


def test_two_arrows_between_two_nodes_have_words_on_different_sides() -> None:
    ring = Ring(2)
    there, back = beside(ring.at(0), ring.at(1), "x"), beside(ring.at(1), ring.at(0), "x")
    assert there[1] > 0 > back[1]


def test_neighbours_of_different_nodes_stay_apart() -> None:
    ring = Ring(6)
    points = [ring.fan(i, k, 3) for i in range(6) for k in range(3)]
    assert min(math.dist(p, q) for p in points for q in points if p is not q) > 40.0


def test_neighbours_inside_stay_clear_of_the_circle_and_of_each_other() -> None:
    for n, inner in ((3, 5), (4, 1), (8, 9)):
        ring = Ring(n, side_around(inner, n))
        points = [ring.inside(k, inner) for k in range(inner)]
        assert max(math.hypot(*point) for point in points) < ring.radius - 40.0
        assert min((math.dist(p, q) for p in points for q in points if p is not q), default=56.0) >= 56.0


def test_between_two_places_the_middle_stays_free() -> None:
    assert [Ring(2).inside(k, 3)[1] for k in range(3)] == [85.0, -85.0, 141.0]
