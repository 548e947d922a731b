"""A chart: what a page draws, an embedding site shows, and a download has as numbers; and the pages to share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from submissions.formatting.chart_style import with_caveats
from submissions.formatting.figures import Figure
from submissions.formatting.text import credits_line

SAME_NUMBERS = "the table below has the same numbers"
DEFAULT_HEIGHT = 450  # CSS pixels, Plotly's own


@dataclass(frozen=True, slots=True)
class Chart:
    """`key` is unique on its page; `label` says in one sentence what the chart shows, and can be read alone.

    `query` is the address of its page with every choice made ("?workload=...&by=jdk"), so that a link to the chart
    keeps showing the same; "" where the page's address has them all. An empty caveat is none. `table` says where its
    numbers are as text. `subject` says of what it is, where its page has a general title: a workload. `credits` are the
    attributions that every copy of it has to carry.
    """

    key: str
    figure: Figure
    label: str
    caveats: Sequence[str] = ()
    query: str = ""
    table: str = SAME_NUMBERS
    subject: str = ""
    credits: Sequence[str] = ()

    @property
    def credits_line(self) -> str:
        return credits_line(self.credits)

    @property
    def shown_caveats(self) -> tuple[str, ...]:
        return tuple(caveat for caveat in self.caveats if caveat)

    @property
    def drawing(self) -> Figure:
        """The figure with its caveats and credits inside: who draws it elsewhere has them too."""
        return with_caveats(self.figure, [*self.caveats, self.credits_line])

    @property
    def height(self) -> int:
        """Of the drawing, in CSS pixels."""
        return int(self.figure["layout"].get("height", DEFAULT_HEIGHT))

    @property
    def described(self) -> "Chart":
        """Without what it draws: what the rest of its page says about it."""
        return replace(self, figure={"layout": {"height": self.height}})


def chart_of(charts: Sequence[Chart], key: str) -> Chart | None:
    """The chart with that key, if the page has one."""
    return next((chart for chart in charts if chart.key == key), None)


# Called with the query of the page, and with what its path holds: charts(params, pk=4). Raises Http404 where the page
# does; returns () where the page has nothing to draw, or refuses the parameters.
PageCharts = Callable[..., Sequence[Chart]]


@dataclass(frozen=True, slots=True)
class Preview:
    """How a link to a page is shown elsewhere. `key_figure` ("440", "M ops/$") is drawn where there is no chart."""

    title: str
    finding: str
    chart: Chart | None = None
    key_figure: tuple[str, str] | None = None
    credits: Sequence[str] = ()

    @property
    def credits_line(self) -> str:
        """Of the chart, where there is one."""
        return self.chart.credits_line if self.chart else credits_line(self.credits)


# Called as PageCharts is, and raises what that does.
PagePreview = Callable[..., Preview]

PageView = TypeVar("PageView", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Shareable:
    title: str  # of the page, on a short link and below an embedded chart
    charts: PageCharts
    preview: PagePreview | None  # None: that of its first chart
    parameters: Sequence[str] | None  # of its address that change what it shows; None: any


def _no_charts(*args: Any, **kwargs: Any) -> Sequence[Chart]:
    return ()


def shareable(
    title: str,
    charts: PageCharts = _no_charts,
    *,
    preview: PagePreview | None = None,
    parameters: Iterable[str] | None = None,
) -> Callable[[PageView], PageView]:
    """Marks a public page whose address holds its state: it can have short links, and its charts be embedded.

    The outermost decorator of the view. No other page can be shared or embedded, or has a picture for links to it.
    A page with a `preview` has the same in its context, as "preview".
    """
    names = None if parameters is None else tuple(name for name in parameters if name != "format")

    def mark(view: PageView) -> PageView:
        view.shareable = Shareable(title, charts, preview, names)  # type: ignore[attr-defined]
        return view

    return mark
