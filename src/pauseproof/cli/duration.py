"""Durations as engineers write them: 100us, 1.5ms."""

import click


class Duration(click.ParamType):  # type: ignore[type-arg]
    """A number with its unit; picoseconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The picoseconds that a word means."""
        from pauseproof.readers.measures import duration_of

        try:
            return value if isinstance(value, int) else duration_of(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


DURATION = Duration()
