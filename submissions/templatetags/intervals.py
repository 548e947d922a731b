"""How pages print a run over time: the points of a series, seconds, counts that are sums of rates."""

from collections.abc import Iterable, Iterator

from django import template
from django.utils.safestring import SafeString

from submissions.formatting import numbers as figures
from submissions.formatting.text import unbroken
from submissions.records.curves.interval_chart import Series
from submissions.records.curves.interval_window import Window
from submissions.templatetags.figures import exact

register = template.Library()

_COLUMNS = ("elapsed_seconds", "throughput_ops_s", "latency_p99_ms", "gc_ms", "gc_count", "errors")


@register.filter
def points(series: Series) -> Iterator[dict[str, float | int | None]]:
    """Each point of a series by the names of Series; None for what the load tool does not print."""
    for place in range(len(series.elapsed_seconds)):
        yield {name: values[place] if (values := getattr(series, name)) else None for name in _COLUMNS}


@register.filter
def beside(values: Iterable[float | None], names: Iterable[str]) -> Iterator[tuple[str, float | None]]:
    """Each value of a row with the name of its column: on a phone the cell says it itself."""
    return zip(names, values, strict=True)


@register.filter
def seconds(value: float) -> str:
    """59.613000000000004 -> 59.613 s: a sum of what the tool printed has no more digits than that."""
    return unbroken(f"{figures.exact(round(value, 3))} s")


@register.filter
def whole(count: float) -> SafeString:
    """Operations; those of a rate times a time are no whole number."""
    return exact(round(count))


@register.filter
def signed_percent(fraction: float) -> str:
    return unbroken(figures.signed_percent(fraction))


@register.filter
def query_of_window(window: Window) -> str:
    """from=0&to=59.613"""
    return f"from={unlocalized(window.start_s)}&to={unlocalized(window.end_s)}"


@register.filter
def unlocalized(value: float) -> str:
    """For an address: 59.613, 1200.5; never an exponent or a thousands separator."""
    return f"{round(value, 3):.15g}"
