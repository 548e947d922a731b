"""The first page in words."""

from submissions.formatting.text import IS, plural, share_of
from submissions.home.query import WorkloadValue
from submissions.metrics import OPS_PER_USD
from submissions.questions.value.front import Systems
from submissions.questions.workload.leader import leader_sentence, ranking_terms
from submissions.questions.workload.likeness import circumstances_of, in_brackets, mixed
from submissions.records import caveats


def finding(value: WorkloadValue) -> str:
    """Which instance type offers the best value for the workload, as far as noise allows a claim."""
    return leader_sentence(value.lead.ranking, ranking_terms(OPS_PER_USD), value.lead.circumstances)


def chart_finding(systems: Systems) -> str:
    """The chart in words, for readers who cannot see it, and for embedding without the page."""
    total = len(systems.shown)
    outperformed = total - len(systems.front)
    differing = in_brackets(*mixed(circumstances_of(row, OPS_PER_USD) for row in systems.shown))
    if not outperformed:
        clusters = plural(total, "cluster")
        return f"Cost against throughput: {clusters}, none outperformed by one that costs no more{differing}."
    share = share_of(outperformed, total, "cluster", IS)
    return f"Cost against throughput: {share} outperformed by one that costs no more{differing}."


def chart_caveats(systems: Systems) -> list[str]:
    return [
        *caveats.of_rows(systems.shown),
        "Excluded: results without a price, without a raw log, or with a data-quality flag that makes their rate "
        "or price unreliable.",
    ]


def best_in_table(shown: int, total: int) -> str:
    """Where the numbers of a chart of more clusters than its table has are."""
    return f"the table below has the {shown} best by value of its {total} clusters, and the list of results has all"
