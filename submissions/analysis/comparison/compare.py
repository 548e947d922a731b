"""Two submissions or more compared in their three metrics."""

from dataclasses import dataclass
from decimal import Decimal

from submissions.analysis.comparison.noise import USUAL_P99, Runs, WorkloadNoise
from submissions.analysis.comparison.significance import difference, rank_test
from submissions.analysis.comparison.verdicts import Judgement, Series, Side, judge
from submissions.analysis.trials import headline
from submissions.choices import LatencyKind, is_same_rate

__all__ = ["Comparison", "Measured", "Noise", "Ratio", "compare"]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a comparison needs of a submission.

    `throughputs` has one value per trial: ops/s, or relative to `relative_base` where that is not empty.
    `ops_per_usd` is in the same unit. `p99_ms` is the headline, `trial_p99s_ms` has one value per trial,
    both of `latency_kind`. `runs` and `p99_runs` are those of its configuration, None where it is the only one.
    """

    name: str
    workload: str  # fingerprint
    throughputs: tuple[float, ...]
    ops_per_usd: Decimal | None = None
    p99_ms: float | None = None
    p99_bound: str | None = ""  # the type of operation that it is of, by its tool; None: several; "": over all
    trial_p99s_ms: tuple[float, ...] = ()
    latency_kind: LatencyKind = LatencyKind.UNKNOWN
    relative_base: str = ""
    held: str = ""  # "limited to 7,000 ops/s": the rate is the load tool's limit, not the capacity of the system
    averaged_over: int | None = None  # repetitions behind the trials, where their source gives means
    configuration: str = ""  # equal ones are runs of one system; "" equals none
    runs: Runs | None = None
    p99_runs: Runs | None = None
    series: Series | None = None

    @property
    def throughput(self) -> Side | None:
        if not self.throughputs:
            return None
        figure = headline(self.throughputs).mean
        return Side(figure, self.throughputs, self.runs, self.configuration, self.series, self.averaged_over)

    @property
    def value(self) -> Side | None:
        """Operations per dollar."""
        side = self.throughput
        return None if side is None or self.ops_per_usd is None else side.scaled(float(self.ops_per_usd) / side.figure)

    @property
    def latency_p99(self) -> Side | None:
        if self.latency_kind == LatencyKind.UNKNOWN or not self.p99_ms:
            return None  # zero is below the resolution of the tool, and has no ratio
        known = all(self.trial_p99s_ms)
        trials = self.trial_p99s_ms if known and self.trial_p99s_ms else (self.p99_ms,)
        return Side(self.p99_ms, trials, self.p99_runs, self.configuration, self.series, self.averaged_over)


@dataclass(frozen=True, slots=True)
class Noise:
    """What the results of a workload say about noise, by metric."""

    throughput: WorkloadNoise = WorkloadNoise()
    latency_p99: WorkloadNoise = WorkloadNoise(usual=USUAL_P99)  # of the latency kind that is compared


@dataclass(frozen=True, slots=True)
class Ratio:
    """b against a. `judgement` is None for different workloads: their figures are no verdict on the systems."""

    ratio: float  # b / a, of the two submissions
    judgement: Judgement | None
    a: Side
    b: Side

    @property
    def in_these_runs(self) -> tuple[float, float] | None:
        """95 % interval by the trials alone: what other runs would do is not in it. None with one trial a side."""
        within = difference(self.a.trials, self.b.trials)
        return within.interval if within else None

    @property
    def rank_test_p(self) -> float | None:
        """Mann-Whitney test of the trials alone; None where there are too few for it."""
        return rank_test(self.a.trials, self.b.trials)


@dataclass(frozen=True, slots=True)
class Comparison:
    """None where one side is unknown, has another baseline, another kind of latency, or was held to another rate.

    Two p99s that are bounds are compared where both are of one type of operation.
    """

    throughput: Ratio | None
    ops_per_usd: Ratio | None
    latency_p99: Ratio | None
    same_workload: bool

    @property
    def ratios(self) -> tuple[Ratio | None, Ratio | None, Ratio | None]:
        return self.throughput, self.ops_per_usd, self.latency_p99


def compare(a: Measured, b: Measured, noise: Noise | None = None) -> Comparison:
    """b against a."""
    noise = noise or Noise()
    same_workload = a.workload == b.workload
    return Comparison(
        throughput=_throughput(a, b, noise, same_workload),
        ops_per_usd=_ops_per_usd(a, b, noise, same_workload),
        latency_p99=_latency_p99(a, b, noise, same_workload),
        same_workload=same_workload,
    )


def _throughput(a: Measured, b: Measured, noise: Noise, same_workload: bool) -> Ratio | None:
    if a.relative_base != b.relative_base or a.held or b.held:
        return None
    return _ratio(a.throughput, b.throughput, noise.throughput if same_workload else None)


def _ops_per_usd(a: Measured, b: Measured, noise: Noise, same_workload: bool) -> Ratio | None:
    """Prices have no noise: it is that of the throughput."""
    if a.relative_base != b.relative_base or a.held or b.held:
        return None
    return _ratio(a.value, b.value, noise.throughput if same_workload else None)


def _latency_p99(a: Measured, b: Measured, noise: Noise, same_workload: bool) -> Ratio | None:
    if a.latency_kind != b.latency_kind or ((a.held or b.held) and not _is_same_rate(a, b)):
        return None
    if a.p99_bound is None or a.p99_bound != b.p99_bound:
        return None
    return _ratio(a.latency_p99, b.latency_p99, noise.latency_p99 if same_workload else None, higher_is_better=False)


def _is_same_rate(a: Measured, b: Measured) -> bool:
    rates = [side.figure for side in (a.throughput, b.throughput) if side]
    return len(rates) == 2 and is_same_rate(rates[1], rates[0])


def _ratio(
    a: Side | None, b: Side | None, noise: WorkloadNoise | None, *, higher_is_better: bool = True
) -> Ratio | None:
    """`noise` is None for different workloads."""
    if a is None or b is None:
        return None
    judgement = judge(a, b, noise, higher_is_better=higher_is_better) if noise else None
    return Ratio(
        ratio=b.figure / a.figure,
        judgement=judgement,
        a=a,
        b=b,
    )
