"""How much runs of one configuration and trials of one run vary within a workload, read from the database."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Protocol

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Avg, Case, Count, F, FloatField, Q, Value, When
from django.db.models.aggregates import Variance
from django.db.models.functions import Cast, Coalesce, Greatest, Ln

from submissions.aggregates.noise import COUNTED_WITH, NOISE, THROUGHPUT, UNIT
from submissions.aggregates.read import states_by_workload
from submissions.analysis.comparison.compare import Noise
from submissions.analysis.comparison.noise import USUAL_P99, Runs, WorkloadNoise, merged
from submissions.analysis.comparison.significance import NO_VARIANCE, PooledSpread, pooled_from_variances
from submissions.choices import LatencyKind, Trust
from submissions.models import Submission, SubmissionQuerySet

Sums = Mapping[str, int]  # see NoiseKind

# Of two trust filters the noise of the higher one counts.
PRECEDENCE: Mapping[Trust | None, int] = {Trust.HISTORICAL: 0, None: 1, Trust.UPLOADED: 2}
# Keys are those of `Submission.trust_filter`: noise is that of results with a log, unless what is compared has none.
_LOWEST: Mapping[Trust | None, Trust] = {
    None: Trust.LOG_VERIFIED,
    Trust.UPLOADED: Trust.UPLOADED,
    Trust.HISTORICAL: Trust.HISTORICAL,
}
_TRUST_FILTER = Case(
    When(trust=Trust.HISTORICAL, then=Value(Trust.HISTORICAL.value)),
    When(trust=Trust.UPLOADED, then=Value(Trust.UPLOADED.value)),
    default=Value(Trust.LOG_VERIFIED.value),
)


@dataclass(frozen=True, slots=True)
class NoiseBook:
    """The noise of a workload by trust filter."""

    by_trust_filter: Mapping[Trust | None, Noise]

    def of_pair(self, a: Trust | None, b: Trust | None) -> Noise:
        """Of two submissions, by their trust filters."""
        return self.of_trust_filter(max(a, b, key=PRECEDENCE.__getitem__))

    def of_trust_filter(self, trust_filter: Trust | None) -> Noise:
        # the higher levels of trust have a log too
        return self.by_trust_filter[trust_filter]


@dataclass(frozen=True, slots=True)
class ConfigurationRuns:
    """The runs of a submission's configuration, itself among them; None where a metric is unknown."""

    throughput: Runs | None
    latency_p99: Runs | None


NO_RUNS = ConfigurationRuns(None, None)


def noise_books(workload_ids: Collection[int], kind: LatencyKind) -> dict[int, NoiseBook]:
    """By workload, of all its runs; p99 of `kind` alone. Two queries."""
    states = states_by_workload(NOISE, workload_ids)
    return {
        pk: NoiseBook({trust: _noise(states.get(pk, {}).get(lowest, {}), kind) for trust, lowest in _LOWEST.items()})
        for pk in workload_ids
    }


def _noise(sums: Mapping[str, Sums], kind: LatencyKind) -> Noise:
    configurations = sums.get(THROUGHPUT, {}).get("configurations", 0)
    return Noise(
        WorkloadNoise(*_spreads(sums.get(THROUGHPUT)), configurations),
        WorkloadNoise(*_spreads(sums.get(kind)), configurations, USUAL_P99),
    )


def _spreads(sums: Sums | None) -> tuple[PooledSpread | None, PooledSpread | None, float]:
    """(of trials, of runs, the harmonic mean of the trials of these runs)."""
    if sums is None:
        return None, None, 1.0
    trial_freedom, freedom = sums.get("trial_freedom", 0), sums.get("freedom", 0)
    of_trials = pooled_from_variances([(trial_freedom, _variance(sums.get("trial_square", 0), trial_freedom))])
    of_runs = _variance(sums.get("square", 0), freedom)
    if of_runs < NO_VARIANCE:
        return of_trials, None, 1.0
    return of_trials, PooledSpread(sqrt(of_runs), freedom), freedom * UNIT / sums["trials_share"]


def _variance(square: int, freedom: int) -> float:
    return square / (freedom * UNIT) if freedom else 0.0


def trusts_beside(trust_filter: Trust | None) -> tuple[str, ...]:
    """Levels of trust of the results that count for one of this trust filter."""
    return COUNTED_WITH[_LOWEST[trust_filter]]


class Run(Protocol):
    """Of a submission what decides which runs count for it."""

    @property
    def pk(self) -> int: ...

    @property
    def workload_id(self) -> int: ...

    @property
    def configuration(self) -> str: ...

    @property
    def trust_filter(self) -> Trust | None: ...


def configuration_runs(rows: Iterable[Run], kind: LatencyKind) -> dict[int, ConfigurationRuns]:
    """By submission, those that count for it by its trust filter; NO_RUNS where it does not count itself. One query."""
    shown = {row.pk: row for row in rows}
    alike = Submission.objects.rankable().filter(
        workload__in={row.workload_id for row in shown.values()},
        configuration__in={row.configuration for row in shown.values()},
    )
    parts: dict[tuple[int, str], list[Mapping[str, Any]]] = {}
    counted: set[int] = set()
    for part in _runs(alike, kind, shown):
        parts.setdefault((part["workload"], part["configuration"]), []).append(part)
        counted.update(part["shown"] or ())
    return {
        pk: _of_trust_filter(parts[row.workload_id, row.configuration], trusts_beside(row.trust_filter))
        if pk in counted
        else NO_RUNS
        for pk, row in shown.items()
    }


def _runs(rows: SubmissionQuerySet, kind: LatencyKind, shown: Collection[int] = ()) -> Iterable[Mapping[str, Any]]:
    """Count, mean and variance of the logs of a configuration's runs, by trust filter; `shown`: those of the given."""
    has_p99 = Q(latency_kind=kind, latency_p99_at_most_ms__gt=0)
    repetitions = Coalesce("averaged_over", Greatest(F("trials_count"), Value(1)))
    share = Value(1.0) / Cast(repetitions, FloatField())
    grouped = (
        rows.order_by().annotate(trust_filter_key=_TRUST_FILTER).values("workload", "configuration", "trust_filter_key")
    )
    return grouped.annotate(
        n=Count("pk"),
        mean=Avg(Ln("throughput_ops_s")),
        variance=Variance(Ln("throughput_ops_s"), sample=True),
        share=Avg(share),
        p99_n=Count("pk", filter=has_p99),
        p99_mean=Avg(Ln("latency_p99_at_most_ms"), filter=has_p99),
        p99_variance=Variance(Ln("latency_p99_at_most_ms"), sample=True, filter=has_p99),
        p99_share=Avg(share, filter=has_p99),
        shown=ArrayAgg("pk", filter=Q(pk__in=list(shown)), default=None),
    )


def _of_trust_filter(parts: Iterable[Mapping[str, Any]], counted: Collection[str]) -> ConfigurationRuns:
    of_trust_filter = [part for part in parts if part["trust_filter_key"] in counted]
    return ConfigurationRuns(
        merged(_of_metric(part, "") for part in of_trust_filter),
        merged(_of_metric(part, "p99_") for part in of_trust_filter),
    )


def _of_metric(part: Mapping[str, Any], prefix: str) -> Runs:
    if not part[f"{prefix}n"]:
        return Runs(0)
    return Runs(part[f"{prefix}n"], part[f"{prefix}mean"], part[f"{prefix}variance"], 1 / part[f"{prefix}share"])
