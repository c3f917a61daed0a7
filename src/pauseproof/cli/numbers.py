"""Numbers as engineers write them: decimal, or hexadecimal with 0x; and IP addresses."""

import click

MOST_SECONDS = 1_000_000


class Number(click.ParamType):  # type: ignore[type-arg]
    """An integer from ``least`` to ``most``, decimal or 0x."""

    name = "integer"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The integer that a word means."""
        try:
            made = value if isinstance(value, int) else int(str(value), 0)
        except ValueError:
            self.fail(f"{value!r} is no number; expected one from {self.least} to {self.most}, decimal or 0x", param, ctx)
        if not self.least <= made <= self.most:
            self.fail(f"{value} is not within {self.least} to {self.most}", param, ctx)
        return made


def bits(width: int) -> Number:
    """A number of so many bits."""
    return Number(0, (1 << width) - 1)


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """So many seconds, from ``least`` to MOST_SECONDS."""

    name = "seconds"

    def __init__(self, least: float) -> None:
        self.least = least

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that a word means; neither ``nan`` nor ``inf`` is one."""
        try:
            made = float(str(value))
        except ValueError:
            self.fail(f"{value!r} is no number; expected seconds, from {self.least:g} to {MOST_SECONDS:,}", param, ctx)
        if not self.least <= made <= MOST_SECONDS:
            self.fail(f"{value} is not within {self.least:g} to {MOST_SECONDS:,} seconds", param, ctx)
        return made


class IpAddress(click.ParamType):  # type: ignore[type-arg]
    """An IPv4 or IPv6 address, handed on as text."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The address, checked."""
        from ipaddress import ip_address

        try:
            return str(ip_address(str(value)))
        except ValueError:
            self.fail(f"{value!r} is no address; expected one like 10.0.1.1 or fd00::1", param, ctx)
