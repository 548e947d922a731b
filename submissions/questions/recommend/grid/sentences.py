"""What a p99 costs, in words."""

from submissions.formatting.names import service_name
from submissions.formatting.numbers import monthly, ops_s, percent
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.grid.query import Cell, Gap, GridResult, Row
from submissions.questions.recommend.outlook import Likelihood
from submissions.questions.recommend.ranking.sentences import at, cluster_words, data_words

MOST_NAMED = 3


def limit_words(params: RecommendParams) -> str:
    """ "p99 ≤ 10 ms"; "any p99 and 931 GiB of data"."""
    p99 = "any p99" if params.max_p99_ms is None else f"p99 ≤ {params.max_p99_ms:g} ms"
    return p99 if params.data_gib is None else f"{p99} and {data_words(params.data_gib)}"


def rate_words(rate: float) -> str:
    """ "10 k ops/s"."""
    return ops_s(rate)


def row_words(row: Row) -> str:
    """ "MongoDB, mostly reads"."""
    return service_name(row.service) + (f", {row.work.label}" if row.work else "")


def finding(result: GridResult) -> str:
    """ "MongoDB at 10 k ops/s with p99 ≤ 10 ms costs from $818 a month; ..."."""
    limit = limit_words(result.params)
    found = list(filter(None, map(_from, (row for row in result.rows if row.work == result.params.work))))
    if not found:
        rates = f"{ops_s(min(result.rates))} with {limit}"
        return (
            f"No measured cluster reaches {rates} at a price that is known."
            if result.rows
            else "Nothing has been measured yet."
        )
    first, *others = found[:MOST_NAMED]
    (name, rate, usd), of_others = (
        first,
        [f"{name}{f' at {at}' if at != first[1] else ''} from {usd}" for name, at, usd in others],
    )
    return "; ".join([f"{name} at {rate} with {limit} costs from {usd} a month", *of_others]) + "."


def _from(row: Row) -> tuple[str, str, str] | None:
    """The database, the lowest rate with an answer, and its cost."""
    for cell in row.cells:
        if cell.answer and cell.answer.candidate.usd_per_month is not None:
            usd = monthly(cell.answer.candidate.usd_per_month).removesuffix("/month")
            return row_words(row), ops_s(cell.params.target_ops_s or 0), usd
    return None


def cheapest_words(row: Row) -> str:
    """ "3× i3.xlarge · AWS eu-central-1 reaches 800 ops/s at p99 25.5 ms for $818/month"; empty where there is none."""
    answer = row.cells[0].answer
    usd = answer.candidate.usd_per_month if answer else None
    if answer is None or usd is None:
        return ""
    return f"{cluster_words(answer.row)} reaches {at(answer.candidate.point)} for {monthly(usd)}"


def gap_words(cell: Cell) -> str:
    """Why there is no cluster; empty where there is."""
    if cell.gap is None:
        return ""
    if cell.gap == Gap.OVER_LIMIT:
        return f"none keeps {cell.params.max_p99_ms:g} ms"
    return _GAPS[cell.gap]


_GAPS = {
    Gap.TOO_SLOW: "nothing measured",
    Gap.P99_UNKNOWN: "p99 not known",
    Gap.UNPRICED: "price not known",
    Gap.OVER_BUDGET: "over budget",
    Gap.DATA: "none for so much data",
}


def likelihood_words(outlook: Likelihood) -> str:
    """ "92 % likely"; "84 % likely, if it varies as usual"; empty where the load tool held the rate."""
    if outlook.share is not None:
        return f"{_share(outlook.share)} likely"
    if outlook.assumed is not None:
        return f"{_share(outlook.assumed)} likely with usual noise"
    return ""


def _share(share: float) -> str:
    return "over 98 %" if share > 0.985 else "under 2 %" if share < 0.015 else percent(round(share, 2))


def caveats(result: GridResult) -> list[str]:
    """Of the chart."""
    workloads = "Each database has its own workloads: compare databases under the same load only."
    return [f"{result.params.terms.words[:1].upper()}{result.params.terms.words[1:]}.", workloads]
