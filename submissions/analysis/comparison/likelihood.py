"""How likely the next run of a configuration is to keep a limit."""

from collections.abc import Iterable, Sequence
from math import log, prod, sqrt
from statistics import median
from typing import NamedTuple

from submissions.analysis.comparison.noise import (
    FEWEST_FREEDOM,
    NoiseFrom,
    Runs,
    WorkloadNoise,
    run_noise,
    trial_variance,
)
from submissions.analysis.comparison.significance import PooledSpread

LEAST, MOST = 0.01, 0.99  # nothing that was measured a few times is certain
ROUNDING = 1e-9  # of a logarithm

# Of a group, before it is looked at. Its members are equal as likely as not; if not, their standard deviation is each
# of these as likely, in standard errors of the figure that is judged. A few have nothing to do with the others: they
# differ from them by a factor of e.
EQUAL = 0.5
DEVIATIONS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
STRANGERS, DEVIATION_OF_STRANGERS = 0.02, 1.0
_STEPS = 8  # towards the mean of those that are no strangers


class Figure(NamedTuple):
    """A mean of logarithms, with the variance of its error."""

    mean: float
    variance: float


class Belief(NamedTuple):
    """A true figure is normal about `mean` with this probability; the beliefs about it add up to 1."""

    share: float
    mean: float
    variance: float


def of_next_run(
    runs: Runs,
    own_trials: PooledSpread | None,
    noise: WorkloadNoise,
    limit: float,
    *,
    others: Sequence[Runs] = (),
    higher_is_better: bool = True,
) -> tuple[float, NoiseFrom]:
    """The likelihood that another run (a new launch) is on the good side of `limit`, and where its noise comes from.

    The logarithm of a run's figure is taken as normal about that of its configuration, with the variance s² of a run
    (noise between runs, and that of its trials). The mean m of the n runs that there are is known to s²/n, so that

        P = T_f(±(m - ln limit) / (s √(1 + 1/n)))

    with Student's distribution T of the f degrees of freedom behind s²: the prediction interval of one more run. s² and
    f are those of verdicts (`noise.run_noise`): of the configuration's own runs, else of the workload's, else 6 % (of a
    p99 12 %), the usual noise of clouds.

    `others` are other configurations of its group. A figure that is looked at because it is the best of a group is
    mostly too good: m and s²/n are drawn towards the group first (`beliefs`), with the same s² for each run of it.
    """
    from scipy.special import stdtr

    of_trials = trial_variance((own_trials,), noise)
    between = run_noise(runs, noise.without(runs), of_trials, full=FEWEST_FREEDOM)
    sign = 1 if higher_is_better else -1
    if not between.of_run(runs.trials, of_trials):  # its runs never differed, as those of a client with a limited rate
        return float(sign * (runs.mean - log(limit)) >= -ROUNDING), between.source
    share = 0.0
    figures = [Figure(each.mean, between.of_run(each.trials, of_trials) / each.count) for each in (runs, *others)]
    for belief in beliefs(figures[0], figures[1:]):
        error = sqrt(between.of_run(runs.trials, of_trials) + belief.variance)
        share += belief.share * float(stdtr(between.freedom, sign * (belief.mean - log(limit)) / error))
    return share, between.source


def beliefs(figure: Figure, others: Sequence[Figure]) -> list[Belief]:
    """What a figure says of its true value, given the others of its group; without others itself.

    The true figures of a group are normal about its mean μ with variance τ². Then one whose error has the variance v
    is drawn to μ by the share B = v / (v + τ²), and its own variance is v (1 - B) + B² var(μ): the normal hierarchical
    model behind the estimator of James and Stein (Gelman et al., Bayesian Data Analysis, 3rd edition, section 5.4).
    τ is not known: each of DEVIATIONS counts as much as the figures make it likely. A stranger stays where it is.
    """
    if not others:
        return [Belief(1.0, *figure)]
    import numpy as np

    means, errors = np.array([figure, *others]).T
    between = figure.variance * np.square([0.0, *DEVIATIONS])[:, None]  # τ²: a row for each, a column for each figure
    inside, outside = between + errors, DEVIATION_OF_STRANGERS**2 + errors
    center = np.full_like(between, median(means.tolist()))
    for _ in range(_STEPS):
        square = np.square(means - center) / 2
        of_members = (1 - STRANGERS) * np.exp(-square / inside) / np.sqrt(inside)
        of_all = of_members + STRANGERS * np.exp(-square / outside) / np.sqrt(outside)
        members = of_members / of_all
        certainty = np.sum(members / inside, axis=1, keepdims=True)  # 1 / var(μ)
        center = np.sum(members * means / inside, axis=1, keepdims=True) / certainty
    fit = np.sum(np.log(of_all), axis=1) - np.log(certainty[:, 0]) / 2
    prior = np.array([EQUAL, *(len(DEVIATIONS) * [(1 - EQUAL) / len(DEVIATIONS)])])
    weights = prior * np.exp(fit - fit.max())
    weights /= weights.sum()
    pull = figure.variance / inside[:, 0]
    drawn = figure.mean - pull * (figure.mean - center[:, 0])
    variance = figure.variance * (1 - pull) + pull**2 / certainty[:, 0]
    shares = weights * members[:, 0]
    stays = Belief(1 - float(shares.sum()), *figure)
    return [stays, *(Belief(*each) for each in zip(shares.tolist(), drawn.tolist(), variance.tolist(), strict=True))]


def is_noise_known(runs: Runs, own_trials: PooledSpread | None, noise: WorkloadNoise) -> bool:
    """Whether anything that was measured says how much this varies: repeated runs or trials, own or the workload's."""
    return any((runs.freedom, own_trials, noise.of_runs, noise.of_trials))


def of_both(likelihoods: Iterable[float]) -> float:
    """Their product. A slow run mostly has a high p99 too, so both together are, if anything, more likely than that."""
    return min(max(prod(likelihoods), LEAST), MOST)
