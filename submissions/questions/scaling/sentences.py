"""How a series scales, in sentences for readers who know no statistics."""

from submissions.analysis.cluster_size.scaling import FEWEST_FOR_LINEARITY, FEWEST_SIZES, Scaling
from submissions.formatting.figures import MOST_POINTS
from submissions.formatting.names import cluster_name, provider_name
from submissions.formatting.numbers import exact, significant
from submissions.formatting.text import join_and
from submissions.questions.boards.likeness import in_brackets, mixed_trust
from submissions.questions.scaling.query import ScalingResult, Series

# of R²: from here on points lie nearly, or roughly, on a straight line
_NEARLY_LINEAR, _ROUGHLY_LINEAR = 0.99, 0.95
# sizes with which the fit of three parameters is more than a rough guide
_ENOUGH_SIZES = 6


def one_decimal(fraction: float) -> str:
    """1.05123 -> 105.1 %."""
    return f"{fraction * 100:,.1f} %"


def finding(series: Series) -> str:
    """How the largest cluster compares with the smallest, and whether the clients allow the conclusion."""
    result = series.scaling
    smallest, largest = result.points[0].point, result.largest.point
    times = significant(largest.throughput_ops_s / smallest.throughput_ops_s)
    cluster = f"{cluster_name(largest.node_count, series.key.instance_type)} · {provider_name(series.key.provider)}"
    nodes = f"{exact(smallest.node_count)} node{'' if smallest.node_count == 1 else 's'}"
    trust = in_brackets(mixed_trust(series.trusts))
    text = f"{cluster} reaches {times} times the throughput of {nodes}: scaling efficiency {efficiency(result)}{trust}."
    if result.client_bound:
        text += " The load clients were probably the limit, not the database."
    return text


def limit_note(result: ScalingResult) -> str:
    """At which limit results are taken; empty without any."""
    if result.max_p99_ms is None or result.latency_kind is None:
        return ""
    return (
        f"Within a p99 {result.latency_kind.label} of at most {result.max_p99_ms:g} ms: each load curve at its highest"
        " measured load that keeps it."
    )


def efficiency(result: Scaling) -> str:
    """Of the largest cluster: "105.1 % (super-linear)"."""
    words = one_decimal(result.largest.efficiency)
    return f"{words} (super-linear)" if round(result.largest.efficiency, 3) > 1 else words


def linearity(result: Scaling) -> str:
    if result.linearity_r2 is None:
        return f"Unknown: at least {FEWEST_FOR_LINEARITY} sizes with different throughputs are needed."
    verdict = "not linear"
    if result.linearity_r2 >= _NEARLY_LINEAR:
        verdict = "nearly linear"
    elif result.linearity_r2 >= _ROUGHLY_LINEAR:
        verdict = "roughly linear"
    return f"R² = {result.linearity_r2:.4f}: {verdict}."


def law(result: Scaling) -> str:
    """The fitted law and its peak, with a warning where that is extrapolated."""
    usl = result.usl
    if usl is None:
        return f"Not fitted: at least {FEWEST_SIZES} sizes are needed."
    fit = (
        f"λ = {significant(usl.lambda_)} ops/s per node, σ = {significant(usl.sigma)} (contention), "
        f"κ = {significant(usl.kappa)} (coherency)."
    )
    if usl.peak_nodes is None:
        return f"{fit} No throughput peak within range: no coherency loss detected."
    peak = f"{fit} Throughput peaks at about {significant(usl.peak_nodes)} nodes"
    if not result.is_peak_extrapolated:
        return f"{peak}, within the measured range."
    largest = exact(result.largest.point.node_count)
    return f"{peak}; this is extrapolated, as the largest measured cluster has {largest}."


def client_limit(result: Scaling) -> str:
    """Whether the clients were the limit, and why the site thinks so."""
    if result.client_bound is None:
        return "Unknown: the number of load clients is not stated, or the cluster sizes are too similar."
    if result.client_bound:
        return (
            "Probably yes: with more nodes to talk to, each client did no more operations. "
            "Measure again with more clients."
        )
    known = [size for size in result.points if size.per_client is not None]
    nodes_per_client = [size.point.node_count / (size.point.client_count or 1) for size in known]
    if max(nodes_per_client) < min(nodes_per_client) * 1.05:
        return "No: the number of clients grew with the nodes, and throughput grew with both."
    return "No: each client did more operations with more nodes to talk to, or more clients changed nothing."


def caveats(result: ScalingResult, most_curves: int, most_sizes: int = MOST_POINTS) -> list[str]:
    """What a reader of the chart must know; it draws `most_curves` series, of each `most_sizes` sizes."""
    series = result.chosen
    if series is None:
        return []
    sizes, more = len(series.points), len(result.series) - most_curves
    sentences = (
        (True, "Each point is the mean of the results with that cluster size (n in the table)."),
        (result.max_p99_ms is not None, limit_note(result)),
        (series.differs, f"Apart from the number of nodes, the results differ in {join_and(series.differs)}."),
        (
            series.scaling.usl and sizes < _ENOUGH_SIZES,
            f"The law has three parameters, fitted to {sizes} sizes: treat it as a rough guide.",
        ),
        (
            series.scaling.is_peak_extrapolated,
            "The peak lies beyond the largest measured cluster, so it is extrapolated.",
        ),
        (sizes > most_sizes, f"The chart has {most_sizes} of the {sizes:,} sizes; the table has all."),
        (more > 0, f"{more} more series {'is' if more == 1 else 'are'} only in the table."),
    )
    return [sentence for applies, sentence in sentences if applies]
