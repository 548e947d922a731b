"""How likely the next run of a configuration is to keep a limit."""

from collections.abc import Iterable
from math import log, prod, sqrt

from submissions.analysis.noise import FEWEST_FREEDOM, NoiseFrom, Runs, WorkloadNoise, run_noise, trial_variance
from submissions.analysis.significance import PooledSpread

LEAST, MOST = 0.01, 0.99  # nothing that was measured a few times is certain


def of_next_run(
    runs: Runs,
    own_trials: PooledSpread | None,
    noise: WorkloadNoise,
    limit: float,
    *,
    higher_is_better: bool = True,
) -> tuple[float, NoiseFrom]:
    """The likelihood that another run (a new launch) is on the good side of `limit`, and where its noise comes from.

    The logarithm of a run's figure is taken as normal about that of its configuration, with the variance s² of a run
    (noise between runs, and that of its trials). The mean m of the n runs that there are is known to s²/n, so that

        P = T_f(±(m - ln limit) / (s √(1 + 1/n)))

    with Student's distribution T of the f degrees of freedom behind s²: the prediction interval of one more run. s² and
    f are those of verdicts (`noise.run_noise`): of the configuration's own runs, else of the workload's, else 6 % (of a
    p99 12 %), the usual noise of clouds.
    """
    from scipy.special import stdtr

    of_trials = trial_variance((own_trials,), noise)
    between = run_noise(runs, noise.without(runs), of_trials, full=FEWEST_FREEDOM)
    error = sqrt(between.of_run(runs.trials, of_trials) * (1 + 1 / runs.count))
    distance = (runs.mean - log(limit)) / error
    return float(stdtr(between.freedom, distance if higher_is_better else -distance)), between.source


def is_noise_known(runs: Runs, own_trials: PooledSpread | None, noise: WorkloadNoise) -> bool:
    """Whether anything that was measured says how much this varies: repeated runs or trials, own or the workload's."""
    return any((runs.freedom, own_trials, noise.of_runs, noise.of_trials))


def of_both(likelihoods: Iterable[float]) -> float:
    """Their product. A slow run mostly has a high p99 too, so both together are, if anything, more likely than that."""
    return min(max(prod(likelihoods), LEAST), MOST)
