"""Which pages have charts: from the name of a page's address to the function that makes its charts."""

from collections.abc import Callable, Sequence
from importlib import import_module

from django.http import Http404, HttpRequest, QueryDict

from submissions.formatting.charts import Chart
from submissions.formatting.charts import chart_of as by_key
from submissions.sharing.harvest import harvested
from submissions.sharing.links import View

# Called with the query of the page, and with what its path holds: charts(params, pk=4). Raises Http404 where the page
# does; returns () where the page has nothing to draw, or refuses the parameters.
Charts = Callable[..., Sequence[Chart]]

_MODULES = {
    "home": "submissions.home.page",
    "detail": "submissions.records.detail.page",
    "workload": "submissions.questions.leaderboard.page",
    "value": "submissions.questions.value.page",
    "compare": "submissions.questions.compare.page",
    "grid": "submissions.questions.grid.page",
    "scaling": "submissions.questions.scaling.page",
    "size": "submissions.questions.sizing.page",
    "history": "submissions.questions.history.page",
}


def charts_of(view: View) -> Sequence[Chart] | None:
    """The charts of a page, as a visitor without an account sees them; None while its module has no `charts`."""
    charts = _function(view.match.url_name or "")
    if charts is None:
        return None
    _, _, query = view.path.partition("?")
    return charts(QueryDict(query), **view.match.kwargs)


def chart_at(request: HttpRequest, view: View, key: str) -> Chart:
    """A chart of a page by its key. Raises Http404."""
    charts = charts_of(view)
    chart = by_key(harvested(request, view) if charts is None else charts, key)
    if chart is None:
        raise Http404("This page has no such chart.")
    return chart


def _function(name: str) -> Charts | None:
    module = _MODULES.get(name)
    function: Charts | None = getattr(import_module(module), "charts", None) if module else None
    return function
