"""How throughput grows with the number of nodes: efficiency, linearity, the Universal Scalability Law, the clients."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from submissions.analysis.cluster_size.usl import FEWEST_SIZES, Usl, fit_usl

FEWEST_FOR_LINEARITY = 3  # two points always lie on a line

# Equal runs on EC2 differ by 6 to 12 %, so smaller changes than these are no evidence about the clients.
MORE_NODES_PER_CLIENT = 1.25
FLAT_OPS_PER_CLIENT = 1.05

__all__ = ["FEWEST_FOR_LINEARITY", "FEWEST_SIZES", "Point", "Scaled", "Scaling", "scaling"]


@dataclass(frozen=True, slots=True)
class Point:
    """A cluster size: the mean over its submissions.

    `client_count` is None where it is unknown or not the same in all submissions.
    """

    node_count: int
    throughput_ops_s: float
    client_count: int | None
    n: int = 1  # submissions behind the mean


@dataclass(frozen=True, slots=True)
class Scaled:
    """A size relative to the smallest one. `efficiency` is throughput per node as a fraction of that there."""

    point: Point
    efficiency: float
    per_node: float  # ops/s
    per_client: float | None  # ops/s


@dataclass(frozen=True, slots=True)
class Scaling:
    points: tuple[Scaled, ...]  # the smallest first
    linearity_r2: float | None  # None: fewer than three sizes, or the same throughput at all
    usl: Usl | None  # None: fewer than four sizes
    client_bound: bool | None  # None: unknown

    @property
    def largest(self) -> Scaled:
        return self.points[-1]

    @property
    def is_peak_extrapolated(self) -> bool:
        """Whether the peak of the law lies beyond the largest measured size."""
        peak = self.usl.peak_nodes if self.usl else None
        return peak is not None and peak > self.largest.point.node_count

    def ideal(self, node_count: float) -> float:
        """ops/s if each node did as much as in the smallest cluster."""
        return self.points[0].per_node * node_count


def scaling(points: Iterable[Point]) -> Scaling:
    """The scaling of one series: clusters of one instance type under one workload.

    Raises ValueError without a point, for a node count that occurs twice, and for a rate that is not positive.
    """
    ordered = sorted(points, key=lambda point: point.node_count)
    if not ordered:
        raise ValueError("at least one cluster size is needed")
    if len({point.node_count for point in ordered}) < len(ordered):
        raise ValueError("a node count occurs twice: take the mean first")
    if any(point.throughput_ops_s <= 0 or point.node_count <= 0 for point in ordered):
        raise ValueError("throughputs and node counts must be positive")
    nodes = [point.node_count for point in ordered]
    rates = [point.throughput_ops_s for point in ordered]
    smallest = rates[0] / nodes[0]
    return Scaling(
        points=tuple(_scaled(point, smallest) for point in ordered),
        linearity_r2=linearity_r2(nodes, rates),
        usl=fit_usl(nodes, rates),
        client_bound=is_client_bound(ordered),
    )


def _scaled(point: Point, per_node_of_smallest: float) -> Scaled:
    per_node = point.throughput_ops_s / point.node_count
    return Scaled(point, per_node / per_node_of_smallest, per_node, _per_client(point))


def _per_client(point: Point) -> float | None:
    return point.throughput_ops_s / point.client_count if point.client_count else None


def linearity_r2(nodes: Sequence[int], rates: Sequence[float]) -> float | None:
    """R^2 of the least-squares line through (nodes, ops/s), which need not pass through 0."""
    if len(nodes) < FEWEST_FOR_LINEARITY or min(rates) == max(rates):
        return None
    import numpy  # here: most processes draw no line

    largest = max(rates)  # scaled, because the squares of very small rates would underflow
    of_nodes, of_both, _, of_rates = numpy.cov(nodes, [rate / largest for rate in rates], bias=True).flat
    return min(float((of_both / numpy.sqrt(of_nodes * of_rates)) ** 2), 1.0)


def is_client_bound(points: Sequence[Point]) -> bool | None:
    """Whether the load clients, not the database, seem to have been the limit.

    True when, from one size to a larger one, each client had at least 25 % more nodes to talk to but did at most
    5 % more operations. The simplest case is one client with the same throughput at 3 and at 6 nodes. A database
    that does not scale at all looks the same: this is an indication to check, not a proof.
    False when no pair of sizes shows that: clients did more with more nodes, or their number grew in proportion
    to the nodes, so that a flat rate per client is by design.
    None when it is unknown: fewer than two sizes with a known number of clients, or sizes less than 25 % apart.
    """
    known = sorted((point for point in points if point.client_count), key=lambda point: point.node_count)
    if len(known) < 2 or known[-1].node_count < known[0].node_count * MORE_NODES_PER_CLIENT:
        return None
    return any(_clients_stayed_flat(small, large) for small, large in combinations(known, 2))


def _clients_stayed_flat(small: Point, large: Point) -> bool:
    small_clients, large_clients = small.client_count or 0, large.client_count or 0  # known: never 0
    # integers as long as possible: 48 / 10 and 144 / 30 are equal
    more_nodes = large.node_count * small_clients / (small.node_count * large_clients)
    more_ops = (large.throughput_ops_s / large_clients) / (small.throughput_ops_s / small_clients)
    return more_nodes >= MORE_NODES_PER_CLIENT and more_ops <= FLAT_OPS_PER_CLIENT


def law_curve(usl: Usl, up_to: float, steps: int = 80) -> list[tuple[float, float]]:
    """(nodes, ops/s) of the law from one node on, denser where it bends most."""
    last = max(up_to, 1.0)
    places = [1 + (last - 1) * (step / steps) ** 2 for step in range(steps + 1)] if last > 1 else [1.0]
    return [(nodes, usl.throughput(nodes)) for nodes in places]


def shown_range(result: Scaling) -> float:
    """Up to how many nodes a chart shows the law: to its peak where that is near, at most twice the largest size."""
    largest = result.largest.point.node_count
    peak = result.usl.peak_nodes if result.usl else None
    return float(largest) if peak is None else min(max(largest, peak * 1.1), largest * 2.0)
