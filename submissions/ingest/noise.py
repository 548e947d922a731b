"""How much runs of one configuration and trials of one run vary within a workload, read from the database."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from typing import Any, Protocol

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Avg, Case, Count, F, FloatField, Q, Value, When
from django.db.models.aggregates import Variance
from django.db.models.functions import Cast, Coalesce, Greatest, Ln

from submissions.analysis.compare import Noise
from submissions.analysis.noise import USUAL_P99, Runs, WorkloadNoise, merged, pooled
from submissions.analysis.significance import NO_VARIANCE, PooledSpread, pooled_from_variances
from submissions.choices import PROVEN, LatencyKind, Trust
from submissions.models import NoiseTotals, Submission, SubmissionQuerySet, Trial

# Noise is that of the results with a log, unless what is compared has none: nobody changes a verdict on them by numbers
# without one. A key is the trust of a shelf, as `Submission.shelf` names it.
_COUNTED: Mapping[Trust | None, tuple[str, ...]] = {
    None: tuple(PROVEN),
    Trust.UPLOADED: (Trust.UPLOADED, *PROVEN),
    Trust.HISTORICAL: (Trust.HISTORICAL,),
}
# Of two shelves the noise of the higher one counts.
PRECEDENCE: Mapping[Trust | None, int] = {Trust.HISTORICAL: 0, None: 1, Trust.UPLOADED: 2}
_LOWEST: Mapping[Trust | None, Trust] = {
    None: Trust.LOG_VERIFIED,
    Trust.UPLOADED: Trust.UPLOADED,
    Trust.HISTORICAL: Trust.HISTORICAL,
}
_MILLION_SQUARED = 10**12
_SHELF = Case(
    When(trust=Trust.HISTORICAL, then=Value(Trust.HISTORICAL.value)),
    When(trust=Trust.UPLOADED, then=Value(Trust.UPLOADED.value)),
    default=Value(Trust.LOG_VERIFIED.value),
)


@dataclass(frozen=True, slots=True)
class NoiseBook:
    """The noise of a workload by shelf."""

    by_shelf: Mapping[Trust | None, Noise]

    def of_pair(self, a: Trust | None, b: Trust | None) -> Noise:
        """Of two submissions, by their shelves."""
        return self.of_shelf(max(a, b, key=PRECEDENCE.__getitem__))

    def of_shelf(self, shelf: Trust | None) -> Noise:
        # the higher levels of trust have a log too
        return self.by_shelf[shelf]


@dataclass(frozen=True, slots=True)
class ConfigurationRuns:
    """The runs of a submission's configuration, itself among them; None where a metric is unknown."""

    throughput: Runs | None
    latency_p99: Runs | None


NO_RUNS = ConfigurationRuns(None, None)


def noise_books(workload_ids: Collection[int], kind: LatencyKind) -> dict[int, NoiseBook]:
    """By workload, of all its runs; p99 of `kind` alone.

    One query where the totals of the workloads are current, else three.
    """
    books = totals_noise_books(workload_ids, kind)
    return books | plain_noise_books(set(workload_ids) - books.keys(), kind)


def totals_noise_books(workload_ids: Collection[int], kind: LatencyKind) -> dict[int, NoiseBook]:
    """Of those workloads whose totals are current, and that have ranked results."""
    sums: dict[int, dict[tuple[str, str], NoiseTotals]] = {}
    for row in NoiseTotals.objects.current().filter(workload__in=workload_ids, kind__in=("", kind)):
        sums.setdefault(row.workload_id, {})[row.shelf, row.kind] = row
    return {
        pk: NoiseBook({shelf: _noise_of_totals(own, lowest, kind) for shelf, lowest in _LOWEST.items()})
        for pk, own in sums.items()
    }


def _noise_of_totals(sums: Mapping[tuple[str, str], NoiseTotals], shelf: Trust, kind: LatencyKind) -> Noise:
    throughput, latency_p99 = sums.get((shelf, "")), sums.get((shelf, kind))
    configurations = throughput.configurations if throughput else 0
    return Noise(
        WorkloadNoise(*_spreads(throughput), configurations),
        WorkloadNoise(*_spreads(latency_p99), configurations, USUAL_P99),
    )


def _spreads(sums: NoiseTotals | None) -> tuple[PooledSpread | None, PooledSpread | None, float]:
    """(of trials, of runs, the harmonic mean of the trials of these runs); squares are of millionths."""
    if sums is None:
        return None, None, 1.0
    trial_freedom, freedom = sums.trial_freedom, sums.freedom
    of_trials = pooled_from_variances([(trial_freedom, _variance(sums.trial_square, trial_freedom))])
    of_runs = _variance(sums.square, freedom)
    if of_runs < NO_VARIANCE:
        return of_trials, None, 1.0
    return of_trials, PooledSpread(sqrt(of_runs), freedom), float(freedom / sums.trials_share)


def _variance(square: Decimal, freedom: int) -> float:
    return float(square / freedom / _MILLION_SQUARED) if freedom else 0.0


NO_NOISE = NoiseBook({shelf: _noise_of_totals({}, lowest, LatencyKind.UNKNOWN) for shelf, lowest in _LOWEST.items()})


def plain_noise_books(workload_ids: Collection[int], kind: LatencyKind) -> dict[int, NoiseBook]:
    """From the rows. Two queries, none without workloads."""
    if not workload_ids:
        return {}
    rows = Submission.objects.rankable().filter(workload__in=workload_ids)
    runs, trials = _by_workload(_runs(rows, kind)), _by_workload(_trials(rows, kind))
    return {
        pk: NoiseBook(
            {shelf: _noise(counted, runs.get(pk, ()), trials.get(pk, ())) for shelf, counted in _COUNTED.items()}
        )
        for pk in workload_ids
    }


def trusts_beside(shelf: Trust | None) -> tuple[str, ...]:
    """Levels of trust of the results that count for one of this shelf."""
    return _COUNTED[shelf]


class Run(Protocol):
    """Of a submission what decides which runs count for it."""

    @property
    def pk(self) -> int: ...

    @property
    def workload_id(self) -> int: ...

    @property
    def configuration(self) -> str: ...

    @property
    def shelf(self) -> Trust | None: ...


def configuration_runs(rows: Iterable[Run], kind: LatencyKind) -> dict[int, ConfigurationRuns]:
    """By submission, those that count for it by its shelf; NO_RUNS where it does not count itself. One query."""
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
        pk: _of_shelf(parts[row.workload_id, row.configuration], _COUNTED[row.shelf]) if pk in counted else NO_RUNS
        for pk, row in shown.items()
    }


def _runs(rows: SubmissionQuerySet, kind: LatencyKind, shown: Collection[int] = ()) -> Iterable[Mapping[str, Any]]:
    """Count, mean and variance of the logs of each configuration's runs, by shelf; `shown` are those of the given."""
    has_p99 = Q(latency_kind=kind, latency_p99_at_most_ms__gt=0)
    repetitions = Coalesce("averaged_over", Greatest(F("trials_count"), Value(1)))
    share = Value(1.0) / Cast(repetitions, FloatField())
    grouped = rows.order_by().annotate(shelf_key=_SHELF).values("workload", "configuration", "shelf_key")
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


def _by_workload(rows: Iterable[Mapping[str, Any]]) -> dict[int, list[Mapping[str, Any]]]:
    parts: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        parts.setdefault(row["workload"], []).append(row)
    return parts


def _trials(rows: SubmissionQuerySet, kind: LatencyKind) -> Iterable[Mapping[str, Any]]:
    """Count and variance of the logs of each repeated submission's trials."""
    has_rate = Q(throughput_ops_s__gt=0)
    has_p99 = Q(latency_kind=kind, latency_p99_ms__gt=0)
    return (
        Trial.objects.repetitions()
        .filter(submission__in=rows.filter(trials_count__gt=1, averaged_over=None).values("pk"))
        .order_by()
        .values("submission", trust=F("submission__trust"), workload=F("submission__workload"))
        .annotate(
            n=Count("pk", filter=has_rate),
            variance=Variance(Ln("throughput_ops_s"), sample=True, filter=has_rate),
            p99_n=Count("pk", filter=has_p99),
            p99_variance=Variance(Ln("latency_p99_ms"), sample=True, filter=has_p99),
        )
    )


def _noise(counted: Collection[str], runs: Iterable[Mapping[str, Any]], trials: Iterable[Mapping[str, Any]]) -> Noise:
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for row in runs:
        if row["shelf_key"] in counted:
            parts.setdefault(row["configuration"], []).append(row)
    configurations = [_of_shelf(of_one, counted) for of_one in parts.values()]
    repeated = [row for row in trials if row["trust"] in counted]
    return Noise(
        WorkloadNoise(
            _spread(repeated, ""), *pooled(one.throughput for one in configurations if one.throughput), len(parts)
        ),
        WorkloadNoise(
            _spread(repeated, "p99_"),
            *pooled(one.latency_p99 for one in configurations if one.latency_p99),
            len(parts),
            USUAL_P99,
        ),
    )


def _of_shelf(parts: Iterable[Mapping[str, Any]], counted: Collection[str]) -> ConfigurationRuns:
    of_shelf = [part for part in parts if part["shelf_key"] in counted]
    return ConfigurationRuns(
        merged(_of_metric(part, "") for part in of_shelf), merged(_of_metric(part, "p99_") for part in of_shelf)
    )


def _of_metric(part: Mapping[str, Any], prefix: str) -> Runs:
    if not part[f"{prefix}n"]:
        return Runs(0)
    return Runs(part[f"{prefix}n"], part[f"{prefix}mean"], part[f"{prefix}variance"], 1 / part[f"{prefix}share"])


def _spread(rows: Iterable[Mapping[str, Any]], prefix: str) -> PooledSpread | None:
    return pooled_from_variances(
        (row[f"{prefix}n"] - 1, row[f"{prefix}variance"]) for row in rows if row[f"{prefix}variance"] is not None
    )
