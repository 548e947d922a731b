"""The least-squares fits of the Universal Scalability Law: one for each choice of terms that stay at a bound."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from submissions.analysis.cluster_size.usl import Usl

# A term of the law must explain more than this share of the squared throughputs: below it is rounding.
_WORTH_A_TERM = 1e-20
_PRECISION = 1e-15

Floats = NDArray[np.floating[Any]]


@lru_cache(4_000)  # a page fits every series of a workload, the same ones at each request
def nearest(nodes: tuple[float, ...], rates: tuple[float, ...]) -> Usl:
    largest = max(rates)
    n, x = np.asarray(nodes, dtype=float), np.asarray(rates, dtype=float) / largest
    fits: list[tuple[float, Usl]] = []
    for sigma, kappa in ((0.0, 0.0), (1.0, 0.0), (None, 0.0), (0.0, None), (1.0, None), (None, None)):
        fitted = _Fit(n, x, sigma, kappa).solved()
        if fitted is not None:
            fits.append((_squares(fitted, n, x), fitted))
    least = min(squares for squares, _ in fits)
    # fits with fewer free parameters come first
    best = next(usl for squares, usl in fits if squares <= least + _WORTH_A_TERM * len(x))
    return Usl(best.lambda_ * largest, best.sigma, best.kappa)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Least squares: terms that are None are free, the others fixed."""

    n: Floats
    x: Floats
    sigma: float | None
    kappa: float | None

    def solved(self) -> Usl | None:
        """None where a free term leaves its bounds: the optimum is then at a bound."""
        if self.sigma is not None and self.kappa is not None:
            return self._scaled_only(self.sigma, self.kappa)
        with np.errstate(all="ignore"):
            solution = scipy.optimize.least_squares(
                self._off, self._start(), self._slopes, method="lm", xtol=_PRECISION, ftol=_PRECISION, gtol=_PRECISION
            ).x
        if not np.isfinite(solution).all():
            return None
        usl = self._assembled(solution)
        return usl if usl.lambda_ > 0 and 0 <= usl.sigma <= 1 and usl.kappa >= 0 else None

    def _scaled_only(self, sigma: float, kappa: float) -> Usl:
        """With no free term the law is linear in lambda."""
        shape = self.n / (1 + sigma * (self.n - 1) + kappa * self.n * (self.n - 1))
        return Usl(float(shape @ self.x / (shape @ shape)), sigma, kappa)

    def _off(self, free: Floats) -> Floats:
        usl = self._assembled(free)
        return usl.lambda_ * self.n / self._losses(usl) - self.x

    def _slopes(self, free: Floats) -> Floats:
        usl = self._assembled(free)
        losses = self._losses(usl)
        columns = [self.n / losses]
        common = -usl.lambda_ * self.n * (self.n - 1) / losses**2
        if self.sigma is None:
            columns.append(common)
        if self.kappa is None:
            columns.append(common * self.n / self._square)
        return np.stack(columns, axis=1)

    def _losses(self, usl: Usl) -> Floats:
        return 1 + usl.sigma * (self.n - 1) + usl.kappa * self.n * (self.n - 1)

    @property
    def _square(self) -> float:
        """kappa goes with the square of the nodes: in units of the largest cluster all terms are of one size."""
        return float(self.n.max()) ** 2

    def _assembled(self, free: Floats) -> Usl:
        values = [float(value) for value in free]
        lambda_ = values.pop(0)
        sigma = values.pop(0) if self.sigma is None else self.sigma
        kappa = values.pop(0) / self._square if self.kappa is None else self.kappa
        return Usl(lambda_, sigma, kappa)

    def _start(self) -> list[float]:
        """Where the search starts: N / X is linear in the terms of the law."""
        terms = np.stack([np.ones_like(self.n), self.n - 1, self.n * (self.n - 1)], axis=1)
        weights = self.x**2 / self.n  # an error of X is one of N / X divided by this
        (constant, first, second), _ = scipy.optimize.nnls(terms * weights[:, None], self.n / self.x * weights)
        constant = constant or float((self.n / self.x).min())
        start = [1 / constant]
        if self.sigma is None:
            start.append(min(first / constant, 1.0))
        if self.kappa is None:
            start.append(second / constant * self._square)
        return start


def _squares(usl: Usl, n: Floats, x: Floats) -> float:
    return float(sum((usl.throughput(nodes) - rate) ** 2 for nodes, rate in zip(n, x, strict=True)))
