"""The colours of a drawing: CSS variables on a page, so that it follows light and dark, and fixed ones in a file."""

from dataclasses import dataclass

from submissions.formatting.chart_style import SERIES

FAMILY = "Inter"  # of fonts/, for files; a page has its own font


@dataclass(frozen=True, slots=True)
class Theme:
    ink: str
    muted: str
    line: str
    paper: str
    is_page: bool = False

    def colour(self, value: object) -> str:
        """A colour of the figure; one of the palette may be another in the dark."""
        if not isinstance(value, str):
            return self.ink
        if self.is_page and value.upper() in _VARIABLES:
            return _VARIABLES[value.upper()]
        return value


_VARIABLES = {colour.upper(): f"var(--{name})" for name, colour in SERIES.items()}

PAGE = Theme(
    ink="currentColor",
    muted="var(--pico-muted-color)",
    line="var(--pico-muted-border-color)",
    paper="var(--pico-background-color)",
    is_page=True,
)
FILE = Theme(ink="#1b2128", muted="#535d68", line="#d9dee4", paper="#ffffff")
