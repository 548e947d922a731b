"""The counts of the list of results: of all its rows, and of each value of a facet."""

from submissions.choices import AgeMark
from submissions.records.cache import of_one_state, prices_version
from submissions.records.growing import made_of_count
from submissions.records.list.facet_counts import FacetCounts, facet_counts
from submissions.records.list.facets import Facets, facets_of
from submissions.records.list.filters import SubmissionFilter


@of_one_state()
def list_counts(filterset: SubmissionFilter) -> Facets:
    """`filterset` is valid."""
    chosen = sorted((name, str(value)) for name, value in filterset.form.cleaned_data.items())
    return made_of_count(
        ("list", filterset.today, prices_version(), *chosen),  # ages are of a day, and of a price book
        lambda ids: facet_counts(filterset, ids),
        FacetCounts.__add__,
        lambda counts: facets_of(counts, filterset),
        is_broad=not filterset.has_choices,
        # today's prices are of one workload, while it has few results
        counted_as=lambda: AgeMark.PRICE_DRIFT in filterset.age_conditions,
    )
