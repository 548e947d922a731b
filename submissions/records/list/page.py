"""The list of results with its facets; its whole state is in the address."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchsite.pagination import BadCursor, link_to, paginate
from submissions.choices import LatencyKind
from submissions.formatting.charts import shareable
from submissions.metrics import METRICS
from submissions.models import Submission
from submissions.records.list.facets import Facets, FacetValue, count_facets
from submissions.records.list.filters import ORDERINGS, SubmissionFilter
from submissions.records.list.state import ListState

TEMPLATE = "submissions/records/list/page.html"


@shareable("List of results")
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    filterset = SubmissionFilter(request.GET, Submission.objects.listed())
    state = ListState(request.GET, request.path)
    problems = _problems(filterset, state.ordering)
    if problems:
        return _refused(request, problems)
    facets = count_facets(filterset)
    if _mixes_latency_kinds(state, facets):
        return redirect(state.address(latency_kind=_most_frequent_kind(facets)))
    try:
        page = paginate(filterset.qs, ordering=ORDERINGS[state.ordering], cursor=request.GET.get("cursor"))
    except BadCursor as error:
        return _refused(request, {"cursor": [str(error)]})
    titles = {value.value: value.label for value in facets.of("workload").values}
    context = {
        "page": page,
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
        "first_address": state.address() if page.previous_cursor else None,
        "facets": facets,
        "state": state,
        "chips": state.chips(titles),
        "workload": _only_workload(facets),
        "sort_links": state.sort_links(),
        "metric": METRICS.get(state.ordering.lstrip("-")),
        "other_kinds": _other_kinds(state, facets),
        "csv_address": state.export(reverse("api:submission-list"), "csv"),
        "json_address": state.export(reverse("api:submission-list"), "json"),
    }
    return render(request, TEMPLATE, context)


def _problems(filterset: SubmissionFilter, ordering: str) -> dict[str, list[str]]:
    """What is wrong with each bad parameter."""
    problems = {name: list(map(str, messages)) for name, messages in filterset.form.errors.items()}
    if ordering not in ORDERINGS:
        problems["ordering"] = [f"must be one of {', '.join(ORDERINGS)}"]
    return problems


def _refused(request: HttpRequest, problems: dict[str, list[str]]) -> HttpResponse:
    return render(request, TEMPLATE, {"problems": problems}, status=400)


def _mixes_latency_kinds(state: ListState, facets: Facets) -> bool:
    """Service and response times are never ranked in one list."""
    kinds = facets.of("latency_kind")
    is_ranked = "latency" in state.ordering and facets.total > 0
    return is_ranked and len(kinds.selected) != 1


def _other_kinds(state: ListState, facets: Facets) -> list[tuple[FacetValue, str]] | None:
    """Where the list of another kind of latency is; None when it is not sorted by latency."""
    if "latency" not in state.ordering:
        return None
    return [
        (value, state.address(latency_kind=value.value))
        for value in facets.of("latency_kind").values
        if value.count and not value.is_selected
    ]


def _only_workload(facets: Facets) -> FacetValue | None:
    """The one workload that is chosen: it has a page of its own."""
    chosen = facets.of("workload").selected
    return chosen[0] if len(chosen) == 1 and chosen[0].count else None


def _most_frequent_kind(facets: Facets) -> str:
    chosen = facets.of("latency_kind").selected or facets.of("latency_kind").values
    return LatencyKind.usual({LatencyKind(value.value): value.count for value in chosen})
