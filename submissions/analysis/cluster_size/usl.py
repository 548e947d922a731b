"""Gunther's Universal Scalability Law, fitted to measured throughputs by least squares."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

FEWEST_SIZES = 4  # fewer leave no degree of freedom for a fit of three parameters


@dataclass(frozen=True, slots=True)
class Usl:
    """X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)): N. J. Gunther, Guerrilla Capacity Planning, 2007."""

    lambda_: float  # ops/s of one node
    sigma: float  # contention: the share of the work that is serial
    kappa: float  # coherency: what each pair of nodes costs

    @property
    def peak_nodes(self) -> float | None:
        """Nodes beyond which the throughput falls; None where it never does.

        Not below one node: with sigma near 1 every further node costs throughput.
        """
        if self.kappa == 0:
            return None
        return max(sqrt(max(1 - self.sigma, 0.0) / self.kappa), 1.0)

    def throughput(self, nodes: float) -> float:
        """ops/s of a cluster of so many nodes."""
        return self.lambda_ * nodes / (1 + self.sigma * (nodes - 1) + self.kappa * nodes * (nodes - 1))


def fit_usl(nodes: Sequence[float], rates: Sequence[float]) -> Usl | None:
    """The law with lambda > 0, 0 <= sigma <= 1, kappa >= 0 that is nearest to the rates (ops/s).

    None with fewer than four different node counts. Each parameter is either free or at a bound; the best of
    these fits is the constrained optimum. A parameter at a bound has exactly that value: throughput that grows
    faster than the nodes has sigma = kappa = 0 and no peak.
    """
    if len(set(nodes)) < FEWEST_SIZES:
        return None
    from submissions.analysis.cluster_size.usl_fit import (
        nearest,  # here: it loads scipy, which most processes never need
    )

    return nearest(tuple(nodes), tuple(rates))
