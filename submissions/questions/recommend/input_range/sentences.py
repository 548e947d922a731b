"""Both ends of a range in words."""

from submissions.formatting.numbers import monthly, ops_s
from submissions.formatting.text import join_and
from submissions.questions.recommend.input_range.query import End, InputRange
from submissions.questions.recommend.ranking.sentences import cluster_words, data_words


def range_words(found: InputRange) -> str:
    """ "Upper end, 60 k ops/s: 6× i4g.4xlarge, $6,017/month. Lower end, 20 k ops/s: ...; it would save $2,006/month."

    The costs are those of the cheapest cluster of each end.
    """
    upper, lower = found.upper, found.lower
    start = f"Upper end, {_inputs(upper, lower)}: {_cluster(upper)}. Lower end, {_inputs(lower, upper)}: "
    saves = found.saves_usd_per_month
    if saves is None:
        return f"{start}{_cluster(lower)}."
    if upper.answer and lower.answer and upper.answer.candidate.slot == lower.answer.candidate.slot:
        return f"{start}the same cluster; it would save nothing."
    if saves <= 0:
        return f"{start}{_cluster(lower)}; it would save nothing."
    return f"{start}{_cluster(lower)}; it would save {monthly(saves)}."


def _inputs(end: End, other: End) -> str:
    """Those that are a range: "60 k ops/s and 931 GiB of data"."""
    own, others = end.params, other.params
    parts = [
        ops_s(own.target_ops_s) if own.target_ops_s and own.target_ops_s != others.target_ops_s else "",
        data_words(own.data_gib) if own.data_gib and own.data_gib != others.data_gib else "",
        f"values of {own.value_bytes:,} bytes" if own.value_bytes and own.value_bytes != others.value_bytes else "",
    ]
    return join_and([part for part in parts if part])


def _cluster(end: End) -> str:
    if end.answer is None:
        estimate = end.estimate
        if estimate is None:
            return "no measured cluster"
        nodes = cluster_words(estimate.base, estimate.needed.node_count)
        return f"no measured cluster, though {nodes} would probably do"
    usd = end.usd_per_month
    return cluster_words(end.answer.row) + (" at an unknown cost" if usd is None else f" for {monthly(usd)}")
