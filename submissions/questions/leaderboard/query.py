"""One workload ranked: a group stands by its best submission, and those that noise hides share a rank."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, QuerySet
from django.db.models.expressions import OrderBy

from submissions.analysis.ranking import MOST_RANKED, Entry, Standing, ranked
from submissions.analysis.significance import PooledSpread
from submissions.choices import LatencyKind
from submissions.metrics import LATENCY_P99, OPS_PER_USD, THROUGHPUT, Metric
from submissions.models import IS_EXCLUDED, Submission, Trial, Workload
from submissions.questions.workload.grouping import GroupBy
from submissions.questions.workload.spreads import workload_spreads

METRICS = (THROUGHPUT, OPS_PER_USD, LATENCY_P99)
KNOWN_KINDS = (LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME)


@dataclass(frozen=True, slots=True)
class Counts:
    """Submissions of a workload, retracted ones among `retracted` alone; the others overlap nowhere."""

    published: int
    retracted: int
    relative: int
    doubtful: int  # with a rate, and a flag that puts it in doubt
    sound: int  # with a rate beyond doubt
    priced: int  # of the sound ones
    p99_by_kind: dict[LatencyKind, int]  # of the sound ones, with a p99; the unknown kind too
    submitters: int  # accounts


@dataclass(frozen=True, slots=True)
class Place:
    """A group on the board. `low`, `high` are the 95 % interval of its figure, None with one trial or for p99."""

    name: str
    best: Submission
    submissions: int
    standing: Standing
    low: float | None
    high: float | None

    @property
    def figure(self) -> float:
        return self.standing.entry.figure

    @property
    def trials(self) -> int:
        return len(self.standing.entry.trials)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    by: GroupBy
    metric: Metric
    latency_kind: LatencyKind | None  # of the p99; None for other metrics
    places: tuple[Place, ...]
    groups: int  # how many there are; `places` has the MOST_RANKED best
    spread: PooledSpread | None  # of single trials of this workload, in this metric


def count(workload: Workload) -> Counts:
    """One query."""
    is_published = Q(retracted_at=None)
    is_doubtful = IS_EXCLUDED
    is_ranked = is_published & Q(throughput_ops_s__isnull=False)
    is_sound = is_ranked & ~is_doubtful
    has_p99 = is_sound & Q(latency_p99_ms__gt=0)
    found = Submission.objects.filter(workload=workload).aggregate(
        published=Count("pk", filter=is_published),
        retracted=Count("pk", filter=~is_published),
        relative=Count("pk", filter=is_published & Q(throughput_ops_s=None)),
        doubtful=Count("pk", filter=is_ranked & is_doubtful),
        sound=Count("pk", filter=is_sound),
        priced=Count("pk", filter=is_sound & Q(ops_per_usd__isnull=False)),
        submitters=Count("submitted_by", filter=is_published, distinct=True),
        **{f"p99_{kind}": Count("pk", filter=has_p99 & Q(latency_kind=kind)) for kind in LatencyKind},
    )
    p99 = {kind: found.pop(f"p99_{kind}") for kind in LatencyKind}
    return Counts(**found, p99_by_kind={kind: number for kind, number in p99.items() if number})


def usual_kind(counts: Counts) -> LatencyKind:
    """The known kind that most submissions of the workload have a p99 of."""
    return max(KNOWN_KINDS, key=lambda kind: counts.p99_by_kind.get(kind, 0))


def leaderboard(
    workload_id: int, by: GroupBy, metric: Metric = THROUGHPUT, latency_kind: LatencyKind | None = None
) -> Leaderboard:
    """The board of a workload at its stored prices; at most six queries, five while the spread is kept.

    `latency_kind` is that of a p99, a known one: kinds are never ranked together.
    """
    rows = _rows(workload_id, metric, latency_kind)
    sizes, best, groups = _by_submission(rows, metric) if by == GroupBy.SUBMISSION else _by_group(rows, by, metric)
    found = {str(pk): row for pk, row in Submission.objects.listed().in_bulk(best).items()}
    spread = spread_of(workload_id, metric, latency_kind)
    places = tuple(
        Place(
            name=by.name_of(found[standing.entry.key]),
            best=found[standing.entry.key],
            submissions=sizes.get(int(standing.entry.key), 1),
            standing=standing,
            **interval_of(found[standing.entry.key], metric),
        )
        for standing in stand(found, metric, spread)
    )
    return Leaderboard(by, metric, latency_kind, places, groups, spread)


def stand(rows: Mapping[str, Submission], metric: Metric, spread: PooledSpread | None) -> list[Standing]:
    """Submissions by any name, ranked with ties; one query for their trials.

    The operations per dollar are those that the rows say: a row may have been priced again.
    """
    trials: dict[int, list[Trial]] = {row.pk: [] for row in rows.values()}
    wanted = Trial.objects.filter(submission__in=trials).only(
        "submission_id", "index", "throughput_ops_s", "latency_kind", "latency_p99_ms"
    )
    for trial in wanted.order_by("submission_id", "index"):
        trials[trial.submission_id].append(trial)
    entries = [
        Entry(key, float(getattr(row, metric.key)), _figures(row, trials[row.pk], metric)) for key, row in rows.items()
    ]
    return ranked(entries, spread, higher_is_better=metric.higher_is_better)


def spread_of(workload_id: int, metric: Metric, latency_kind: LatencyKind | None) -> PooledSpread | None:
    """A price has no noise: operations per dollar vary as the throughput does. See `workload_spreads`."""
    spreads = workload_spreads(workload_id, latency_kind or LatencyKind.UNKNOWN)
    return spreads.latency_p99 if metric == LATENCY_P99 else spreads.throughput


def interval_of(row: Submission, metric: Metric) -> dict[str, float | None]:
    """The 95 % interval of a submission's figure; a p99 has none: percentiles are not averaged."""
    low, high = row.throughput_low_ops_s, row.throughput_high_ops_s
    if metric == LATENCY_P99 or low is None or high is None or row.throughput_ops_s is None:
        return {"low": None, "high": None}
    if metric == THROUGHPUT:
        return {"low": low, "high": high}
    if row.ops_per_usd is None:
        return {"low": None, "high": None}
    scale = float(row.ops_per_usd) / row.throughput_ops_s
    return {"low": low * scale, "high": high * scale}


def _rows(workload_id: int, metric: Metric, latency_kind: LatencyKind | None) -> QuerySet[Submission]:
    rows = Submission.objects.rankable().filter(workload=workload_id)
    if metric == OPS_PER_USD:
        return rows.filter(ops_per_usd__isnull=False)
    if metric == LATENCY_P99:
        return rows.filter(latency_kind=latency_kind, latency_p99_ms__gt=0)
    return rows


def _by_submission(rows: QuerySet[Submission], metric: Metric) -> tuple[dict[int, int], list[int], int]:
    best = rows.order_by(_best_first(metric), "-pk").values_list("pk", flat=True)[:MOST_RANKED]
    return {}, list(best), rows.count()


def _by_group(rows: QuerySet[Submission], by: GroupBy, metric: Metric) -> tuple[dict[int, int], list[int], int]:
    """(submissions in the group of each best one, the best ones of the best groups, how many groups)."""
    sizes = {
        tuple(row[column] for column in by.columns): row["submissions"]
        for row in rows.order_by().values(*by.columns).annotate(submissions=Count("pk"))
    }
    bests = list(
        rows.order_by(*by.columns, _best_first(metric), "-pk")
        .distinct(*by.columns)
        .values_list("pk", metric.key, *by.columns)
    )
    bests.sort(key=lambda row: (-row[1] if metric.higher_is_better else row[1], row[0]))
    shown = bests[:MOST_RANKED]
    return {pk: sizes[tuple(values)] for pk, _, *values in shown}, [pk for pk, *_ in shown], len(bests)


def _best_first(metric: Metric) -> OrderBy:
    return F(metric.key).desc() if metric.higher_is_better else F(metric.key).asc()


def _figures(row: Submission, trials: Sequence[Trial], metric: Metric) -> tuple[float, ...]:
    """What each trial had, in the metric's unit; the headline alone where that is not known of all."""
    if metric == LATENCY_P99:
        of_kind = [trial.latency_p99_ms for trial in trials if trial.latency_kind == row.latency_kind]
        known = tuple(p99 for p99 in of_kind if p99)
        return known if len(known) == len(trials) and known else (row.latency_p99_ms or 0.0,)
    rates = tuple(trial.throughput_ops_s for trial in trials if trial.throughput_ops_s)
    if metric == THROUGHPUT:
        return rates
    scale = float(row.ops_per_usd or 0) / (row.throughput_ops_s or 1)
    return tuple(rate * scale for rate in rates)
