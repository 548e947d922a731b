"""The list of results with its facets; its whole state is in the address."""

from collections.abc import Mapping
from datetime import date
from functools import lru_cache

from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchsite.http.from_data import from_data
from benchsite.http.pagination import BadCursor, link_to, paginate
from submissions.choices import LatencyKind
from submissions.formatting.charts import shareable
from submissions.metrics import METRICS
from submissions.models import Submission
from submissions.models.versions.data_version import Subject
from submissions.pricing.reprice import at_reader_prices
from submissions.pricing.terms import PriceTerms, ReaderPricesForm
from submissions.records.ages import ages_of_stored
from submissions.records.cache import of_one_state, prices_version
from submissions.records.list.counts import list_counts
from submissions.records.list.facets import Facets, FacetValue
from submissions.records.list.filters import ORDERINGS, SubmissionFilter
from submissions.records.list.state import ListState
from submissions.records.table import in_table

TEMPLATE = "submissions/records/list/page.html"
_SHARED = 64  # lists of a process
LONGEST_SHARED = 500  # characters of the choices


@shareable("List of results")
@from_data(*Subject, parameters=(*SubmissionFilter.base_filters, "ordering", "cursor", *ReaderPricesForm.base_fields))
@require_safe
@of_one_state()
def submissions(request: HttpRequest) -> HttpResponse:
    filterset = filter_of(request.GET)
    state = ListState(request.GET, request.path)
    prices = ReaderPricesForm(request.GET)
    problems = _problems(filterset, state.ordering) | ({} if prices.is_valid() else _messages(prices))
    if problems:
        return _refused(request, problems)
    counts = list_counts(filterset)
    if _mixes_latency_kinds(state, counts):
        return redirect(state.address(latency_kind=_most_frequent_kind(counts)))
    try:
        page = paginate(
            in_table(filterset.qs),
            ordering=ORDERINGS[state.ordering],
            last=filterset.last,
            cursor=request.GET.get("cursor"),
        )
    except BadCursor as error:
        return _refused(request, {"cursor": [str(error)]})
    ages = ages_of_stored(page.rows, filterset.today)
    terms = PriceTerms(discounts=prices.cleaned_data["discount"])
    at_reader_prices(page.rows, terms)
    paths = _paths(get_script_prefix())
    context = {
        "paths": paths,
        "page": page,
        "ages": ages,
        "is_discounted": bool(terms.discounts),
        "next_address": link_to(request, page.next_cursor),
        "previous_address": link_to(request, page.previous_cursor),
        "first_address": state.address() if page.previous_cursor else None,
        "counts": counts,
        "state": state,
        "chips": state.chips({value.value: value.label for value in counts.of("workload").selected}),
        "workload": _only_workload(counts),
        "sort_links": state.sort_links(),
        "metric": METRICS.get(state.ordering.lstrip("-")),
        "other_kinds": _other_kinds(state, counts),
        "csv_address": state.export(paths["api"], "csv"),
        "feed_address": state.feed(paths["list_feed"], paths["feed"]),
        "json_address": state.export(paths["api"], "json"),
    }
    return render(request, TEMPLATE, context)


def filter_of(params: QueryDict) -> SubmissionFilter:
    """Of these parameters; it serves all who ask for the same, so that nobody changes it.

    Making it takes longer than its statements do. That of a workload serves one request: which of its prices have
    changed is part of its conditions.
    """
    names = [name for name in SubmissionFilter.base_filters if name in params]
    choices = urlencode([(name, value) for name in names for value in params.getlist(name)])
    today = timezone.now().date()
    if "workload" in names or len(choices) > LONGEST_SHARED:
        return _new_filter(choices, today)
    return _shared_filter(choices, today, prices_version())


@lru_cache(_SHARED)
def _shared_filter(choices: str, today: date, prices: str) -> SubmissionFilter:
    """Ages are of a day, and of a price book."""
    return _new_filter(choices, today)


def _new_filter(choices: str, today: date) -> SubmissionFilter:
    """Complete: no thread meets a form that another is cleaning."""
    filterset = SubmissionFilter(QueryDict(choices), Submission.objects.few_with_rate())
    filterset.today = today
    if filterset.form.is_valid():
        filterset.qs  # noqa: B018 - it is built here
    return filterset


@lru_cache(4)
def _paths(script_prefix: str) -> Mapping[str, str]:
    """The addresses that every list has, which take longer to make than its statements."""
    names = ("list", "compare", "new", "feed", "list_feed")
    return {"api": reverse("api:submission-list"), **{name: reverse(f"submissions:{name}") for name in names}}


def _problems(filterset: SubmissionFilter, ordering: str) -> dict[str, list[str]]:
    """What is wrong with each bad parameter."""
    problems = _messages(filterset.form)
    if ordering not in ORDERINGS:
        problems["ordering"] = [f"must be one of {', '.join(ORDERINGS)}"]
    return problems


def _messages(form: Form) -> dict[str, list[str]]:
    return {name: list(map(str, messages)) for name, messages in form.errors.items()}


def _refused(request: HttpRequest, problems: dict[str, list[str]]) -> HttpResponse:
    return render(request, TEMPLATE, {"problems": problems, "paths": _paths(get_script_prefix())}, status=400)


def _mixes_latency_kinds(state: ListState, counts: Facets) -> bool:
    """Service and response times are never ranked in one list."""
    is_ranked = "latency" in state.ordering and counts.total > 0
    return is_ranked and len(counts.of("latency_kind").selected) != 1


def _other_kinds(state: ListState, counts: Facets) -> list[tuple[FacetValue, str]] | None:
    """Where the list of another kind of latency is; None when it is not sorted by latency."""
    if "latency" not in state.ordering:
        return None
    return [
        (value, state.address(latency_kind=value.value))
        for value in counts.of("latency_kind").values
        if value.count and not value.is_selected
    ]


def _only_workload(counts: Facets) -> FacetValue | None:
    """The one workload that is chosen: it has a page of its own."""
    chosen = counts.of("workload").selected
    return chosen[0] if len(chosen) == 1 and chosen[0].count else None


def _most_frequent_kind(counts: Facets) -> str:
    kinds = counts.of("latency_kind")
    chosen = kinds.selected or kinds.values
    return LatencyKind.usual({LatencyKind(value.value): value.count for value in chosen})
