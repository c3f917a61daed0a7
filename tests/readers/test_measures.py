import math

import pytest

from pauseproof.readers.measures import length_of, speed_of


@pytest.mark.parametrize(
    ("text", "gbps"),
    [
        ("100", 100),
        (" 100G ", 100),
        ("25000M", 25),
        ("400Gbps", 400),
        ("10 Gb/s", 10),
        ("40g", 40),
        ("100GbE", 100),
        ("100GBASE-SR4", 100),
    ],
)
def test_speeds(text: str, gbps: float) -> None:
    assert speed_of(text) == gbps


@pytest.mark.parametrize(
    ("text", "unit", "metres"),
    [("3", "", 3), ("3", "m", 3), ("250 cm", "", 2.5), ("10", "ft", 3.048), ("2km", "m", 2000), ("12", "in", 0.3048)],
)
def test_lengths(text: str, unit: str, metres: float) -> None:
    assert length_of(text, unit) == pytest.approx(metres)


def test_nothing_is_not_known() -> None:
    assert math.isnan(speed_of(" ")) and math.isnan(length_of(""))


@pytest.mark.parametrize("text", ["fast", "0", "-1", "1e3", "100T", "100000", "9" * 400, "10 20"])
def test_no_speed(text: str) -> None:
    with pytest.raises(ValueError, match="speed"):
        speed_of(text)


@pytest.mark.parametrize("text", ["long", "-1", "3 parsec", "300km", "3m 2"])
def test_no_length(text: str) -> None:
    with pytest.raises(ValueError, match="length"):
        length_of(text)
