"""What the list of results says about all its rows: counts in words, and the facets as kept HTML."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from submissions.choices import AgeMark
from submissions.records.cache import of_one_state, prices_version
from submissions.records.growing import made_of_count
from submissions.records.list.facet_counts import FIRST, FacetCounts, facet_counts
from submissions.records.list.facet_html import facets_html
from submissions.records.list.facets import Facet, Facets, FacetValue, facets_of
from submissions.records.list.filters import SubmissionFilter


@dataclass(frozen=True, slots=True)
class ListCounts:
    total: int  # rows under all choices
    workloads: int  # how many workloads these rows are of
    latency_kinds: Facet
    chosen_workloads: tuple[FacetValue, ...]
    first_facets_html: SafeString
    facets_html: SafeString


@of_one_state()
def list_counts(filterset: SubmissionFilter) -> ListCounts:
    """One query while they are cached; four after new submissions, which are added to the counts. Of one workload
    three more: it, and how many results it has, of which a few are priced today.

    `filterset` is valid.
    """
    chosen = sorted((name, str(value)) for name, value in filterset.form.cleaned_data.items())
    return made_of_count(
        ("list", filterset.today, prices_version(), *chosen),  # ages are of a day, and of a price book
        lambda ids: facet_counts(filterset, ids),
        FacetCounts.__add__,
        lambda counts: _list_counts(facets_of(counts, filterset)),
        is_broad=not filterset.has_choices,
        # today's prices are of one workload, while it has few results
        counted_as=lambda: AgeMark.PRICE_DRIFT in filterset.age_conditions,
    )


def _list_counts(facets: Facets) -> ListCounts:
    return ListCounts(
        total=facets.total,
        workloads=facets.workloads,
        latency_kinds=facets.of("latency_kind"),
        chosen_workloads=facets.of("workload").selected,
        first_facets_html=facets_html(facet for facet in facets.facets if facet.name in FIRST),
        facets_html=facets_html(facet for facet in facets.facets if facet.name not in FIRST),
    )
