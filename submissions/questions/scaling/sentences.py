"""What a series' scaling says, in sentences for readers who know no statistics."""

from submissions.analysis.scaling import FEWEST_FOR_LINEARITY, FEWEST_SIZES, Scaling
from submissions.formatting.numbers import exact, significant
from submissions.questions.scaling.query import Series


def one_decimal(fraction: float) -> str:
    """1.05123 -> 105.1 %."""
    return f"{fraction * 100:,.1f} %"


def finding(series: Series) -> str:
    """How the largest cluster compares with the smallest, and whether the clients allow to say so."""
    found = series.scaling
    smallest, largest = found.points[0].point, found.largest.point
    times = largest.throughput_ops_s / smallest.throughput_ops_s
    cluster = f"{exact(largest.node_count)} × {series.key.instance_type} ({series.key.provider})"
    said = (
        f"{cluster} did {significant(times)} times the throughput of {exact(smallest.node_count)}: "
        f"each node {one_decimal(found.largest.efficiency)} of what it did in the smallest cluster"
    )
    if found.client_bound:
        return f"{said}. But the load clients seem to have been the limit, not the database."
    return f"{said}."


def line_words(found: Scaling) -> str:
    if found.linearity_r2 is None:
        return f"Unknown: it takes {FEWEST_FOR_LINEARITY} sizes of different throughput."
    verdict = "very nearly a straight line" if found.linearity_r2 >= 0.99 else "no straight line"
    if 0.95 <= found.linearity_r2 < 0.99:
        verdict = "roughly a straight line"
    return f"R² = {found.linearity_r2:.4f}: {verdict} through the sizes."


def law_words(found: Scaling) -> str:
    """The fitted law and its peak, said to be extrapolated where it is."""
    usl = found.usl
    if usl is None:
        return f"Not fitted: it takes {FEWEST_SIZES} sizes."
    fit = (
        f"λ = {significant(usl.lambda_)} ops/s of one node, σ = {significant(usl.sigma)} (contention), "
        f"κ = {significant(usl.kappa)} (coherency)"
    )
    if usl.peak_nodes is None:
        return f"{fit}. No peak: no loss that grows with the square of the nodes was seen."
    largest = found.largest.point.node_count
    peak = f"{fit}. Throughput peaks at about {significant(usl.peak_nodes)} nodes"
    if not found.is_peak_extrapolated:
        return f"{peak}, within what was measured."
    return f"{peak}: extrapolated, the largest measured cluster has {exact(largest)}."


def client_words(found: Scaling) -> str:
    """Whether the clients were the limit, and why the site thinks so."""
    if found.client_bound is None:
        return "Cannot be told: the number of clients is unknown, or the sizes are too close to each other."
    if found.client_bound:
        return (
            "Client-bound? Yes: with more nodes to talk to, each client did no more. "
            "The clients may have been the ceiling: measure again with more of them."
        )
    known = [size for size in found.points if size.per_client is not None]
    per_client = [size.point.node_count / (size.point.client_count or 1) for size in known]
    if max(per_client) < min(per_client) * 1.05:
        return "Client-bound? No: the clients grew with the nodes, by design, and throughput grew with both."
    return "Client-bound? No: each client did more when it had more nodes to talk to, or more clients changed nothing."
