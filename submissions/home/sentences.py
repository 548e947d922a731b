"""The first page in words."""

from submissions.analysis.comparison.verdicts import Judgement
from submissions.formatting.numbers import ops_per_usd, significant
from submissions.formatting.text import IS, plural, share_of
from submissions.metrics import OPS_PER_USD
from submissions.models import Submission
from submissions.questions.boards.likeness import circumstances_of, in_brackets, mixed
from submissions.questions.boards.noise_words import noise_words, runs_words
from submissions.questions.value.pareto import Systems
from submissions.questions.value.query import ValueResult
from submissions.questions.value.sentences import scatter_caveats


def chart_finding(result: ValueResult) -> str:
    """The chart in words, for readers who cannot see it, and for embedding without the page."""
    systems: Systems = result.systems
    total = len(systems.shown)
    outperformed = total - len(systems.front)
    differing = in_brackets(
        *mixed(circumstances_of(row, OPS_PER_USD, result.params.terms.basis) for row in systems.shown)
    )
    if not outperformed:
        clusters = plural(total, "cluster")
        return f"Cost against throughput: {clusters}, none outperformed by one that costs no more{differing}."
    share = share_of(outperformed, total, "cluster", IS)
    return f"Cost against throughput: {share} outperformed by one that costs no more{differing}."


def chart_caveats(result: ValueResult) -> list[str]:
    return [
        *scatter_caveats(result),
        "Excluded: results without a price, without a raw log, or with a data-quality flag that makes their rate "
        "or price unreliable.",
    ]


def best_in_table(shown: int, total: int) -> str:
    """Where the numbers of a chart of more clusters than its table has are."""
    return f"the table below has the {shown} best by value of its {total} clusters, and the list of results has all"


def contrast_words(leader: str, rival: str, rival_of: str, best: Submission, judgement: Judgement) -> str:
    """ "AWS a1.large offers 440 M ops/$, 2.2× Azure D4s, the best of Azure. One run each, assuming ..."."""
    figure, ratio = ops_per_usd(float(best.ops_per_usd or 0)), significant(1 / judgement.ratio)
    runs = runs_words(judgement)
    return (
        f"{leader} offers {figure}, {ratio}× {rival}, the best measured of {rival_of}. "
        f"{runs[0].upper()}{runs[1:]}, {noise_words(judgement)}."
    )
