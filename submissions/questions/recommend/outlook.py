"""How likely a measured result is to be measured again: its row, its trials, the noise of its workload."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef
from django.db.models.functions import Coalesce, Greatest, JSONObject

from submissions.analysis.comparison.likelihood import ROUNDING, is_noise_known, of_both, of_next_run
from submissions.analysis.comparison.noise import NoiseFrom, Runs, WorkloadNoise, merged
from submissions.analysis.comparison.significance import PooledSpread, pooled_spread
from submissions.choices import LatencyKind
from submissions.ingest.checks.noise import (
    NO_RUNS,
    ConfigurationRuns,
    NoiseBook,
    configuration_runs,
    noise_books,
    trusts_beside,
)
from submissions.models import IS_EXCLUDED, IS_UNRANKED, Submission, Trial
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.form import RecommendParams

MOST_BESIDE = 50  # results on the same machines, the newest: enough for their mean and how much they differ


@dataclass(frozen=True, slots=True)
class Likelihood:
    """`share` is None where nothing tells how much it varies: `assumed` is what the usual noise of clouds would give.

    Neither where no limit was asked for, or where the load tool held the rate.
    """

    share: float | None = None
    assumed: float | None = None
    noise_from: NoiseFrom | None = None
    runs: int = 1  # of the configuration
    holds_on_average: bool = True  # the mean of its runs keeps the limits too


@dataclass(frozen=True, slots=True)
class Measured:
    """What is read of the results that an answer may show."""

    rows: Mapping[int, Submission]
    trials: Mapping[int, tuple[float, ...]]
    runs: Mapping[int, ConfigurationRuns]
    noise: Mapping[int, NoiseBook]  # by workload
    beside: Mapping[int, "Beside"]


@dataclass(frozen=True, slots=True)
class Beside:
    """Runs of other configurations on the same machines, under the same workload."""

    throughput: Sequence[Runs] = ()
    latency_p99: Sequence[Runs] = ()


def measured(candidates: Collection[Candidate]) -> Measured:
    """Nine queries at most, whatever their number."""
    pks = {one.point.pk for one in candidates}
    rows = Submission.objects.listed().select_related("workload").prefetch_related("node_groups").in_bulk(pks)
    shown = list(rows.values())
    kind = LatencyKind.usual({LatencyKind(row.latency_kind): 1 for row in shown})
    trials: dict[int, list[float]] = {}
    known = (
        Trial.objects.repetitions()
        .filter(submission__in=pks, throughput_ops_s__gt=0)
        .order_by("submission_id", "index")
    )
    for pk, rate in known.values_list("submission_id", "throughput_ops_s"):
        trials.setdefault(pk, []).append(rate or 0.0)
    return Measured(
        rows,
        {pk: tuple(rates) for pk, rates in trials.items()},
        configuration_runs(shown, kind),
        noise_books({row.workload_id for row in shown}, kind),
        _beside(shown),
    )


def _beside(shown: Collection[Submission]) -> dict[int, Beside]:
    """By submission. One query."""
    fields = ("configuration", "trust", "throughput_ops_s", "latency_kind", "latency_p99_ms")
    rows = (
        Submission.objects.few_with_rate()
        .exclude(IS_EXCLUDED)
        .exclude(IS_UNRANKED)
        .filter(**{name: OuterRef(name) for name in ("workload", "provider", "instance_type", "node_count")})
        .exclude(configuration=OuterRef("configuration"))
        .order_by("-pk")
        .values_list(
            JSONObject(
                trials=Coalesce("averaged_over", Greatest("trials_count", 1)), **{name: F(name) for name in fields}
            )
        )
    )
    by_pk = Submission.objects.filter(pk__in=[row.pk for row in shown]).order_by()
    read = dict(by_pk.values_list("pk", ArraySubquery(rows[:MOST_BESIDE])))
    return {row.pk: _of_trust_filter(read.get(row.pk, ()), row) for row in shown}


def _of_trust_filter(rows: Sequence[Mapping[str, Any]], shown: Submission) -> Beside:
    counted = trusts_beside(shown.trust_filter)
    rates: dict[str, list[Runs]] = {}
    p99s: dict[str, list[Runs]] = {}
    for row in rows:
        if row["trust"] in counted:
            name, trials = row["configuration"], row["trials"]
            rates.setdefault(name, []).append(Runs(1, log(row["throughput_ops_s"]), None, trials))
            if row["latency_kind"] == shown.latency_kind and row["latency_p99_ms"]:
                p99s.setdefault(name, []).append(Runs(1, log(row["latency_p99_ms"]), None, trials))
    return Beside(*([runs for each in by_name.values() if (runs := merged(each))] for by_name in (rates, p99s)))


def likelihood(candidate: Candidate, known: Measured, params: RecommendParams) -> Likelihood:
    """That another run holds the throughput and the p99 that are asked for."""
    row, point = known.rows[candidate.point.pk], candidate.point
    noise, runs = known.noise[row.workload_id].of_trust_filter(row.trust_filter), known.runs.get(point.pk, NO_RUNS)
    beside = known.beside[point.pk]
    if not point.is_peak:
        runs, beside = NO_RUNS, Beside()  # those of its configuration, its trials and those beside it are of the peak
    of_rate, of_p99 = _runs(row, runs.throughput, point.rate), _runs(row, runs.latency_p99, point.p99_ms)
    trials = known.trials.get(point.pk, ()) if point.is_peak else ()
    spread = None if row.averaged_over else pooled_spread([trials])
    parts = []
    if params.target_ops_s is not None and not point.is_throttled:
        parts.append(_Part(of_rate, beside.throughput, spread, noise.throughput, params.target_ops_s))
    if params.max_p99_ms and point.p99_ms:
        others = () if point.is_of_slowest else beside.latency_p99  # theirs are of all types of operations
        parts.append(_Part(of_p99, others, None, noise.latency_p99, params.max_p99_ms, higher_is_better=False))
    if not parts or point.is_throttled:
        return Likelihood(runs=of_rate.count)
    return _joined(parts, is_noise_known(of_rate, spread, noise.throughput))


@dataclass(frozen=True, slots=True)
class _Part:
    runs: Runs
    others: Sequence[Runs]
    spread: PooledSpread | None
    noise: WorkloadNoise
    limit: float
    higher_is_better: bool = True

    @property
    def of_next_run(self) -> tuple[float, NoiseFrom]:
        return of_next_run(
            self.runs,
            self.spread,
            self.noise,
            self.limit,
            others=self.others,
            higher_is_better=self.higher_is_better,
        )

    @property
    def holds_on_average(self) -> bool:
        distance = self.runs.mean - log(self.limit)
        return distance >= -ROUNDING if self.higher_is_better else distance <= ROUNDING


def _joined(parts: Sequence[_Part], is_known: bool) -> Likelihood:
    of_parts = [part.of_next_run for part in parts]
    share = of_both(share for share, _ in of_parts)
    return Likelihood(
        share=share if is_known else None,
        assumed=None if is_known else share,
        noise_from=of_parts[0][1],
        runs=max(part.runs.count for part in parts),
        holds_on_average=all(part.holds_on_average for part in parts),
    )


def _runs(row: Submission, runs: Runs | None, figure: float | None) -> Runs:
    """Of its configuration; alone where others of it do not count, or do not have the figure."""
    if runs is not None and runs.count:
        return runs
    return Runs(1, log(figure) if figure else 0.0, None, row.averaged_over or max(row.trials_count, 1))
