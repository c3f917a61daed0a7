import math

import pytest

from pauseproof.readers.measures import bytes_of, length_of, speed_of


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


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("1KiB", 1024),
        ("1.5 MiB", 1.5 * 2**20),
        ("2 GB", 2e9),
        ("3kB", 3000),
        ("1GiB", 2**30),
        ("1e9", 1e9),
        ("7B", 7),
    ],
)
def test_sizes(text: str, size: float) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "-1", "1 mib", "1iB", "1e99", "9" * 40, "1 GiB x"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not understood|is beyond any buffer"):
        bytes_of(text)
