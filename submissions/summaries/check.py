"""The totals of workloads against plain counts of their rows: nothing may differ."""

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isclose
from random import shuffle
from time import monotonic
from typing import Any

from django.db import connection, transaction
from django.db.models import Case, Count, F, IntegerField, Max, Min, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Now

from submissions.choices import PROVEN, LatencyKind, Role, Trust
from submissions.ingest.noise import NO_NOISE, plain_noise_books, totals_noise_books
from submissions.models import GroupTotals, NodeGroup, Submission, TraitTotals, Workload, WorkloadTotals
from submissions.summaries.groups import COLUMNS, key_of
from submissions.summaries.traits import CONDITIONS, Trait

_SYSTEM = NodeGroup.objects.filter(submission=OuterRef("pk"), role__in=Role.SYSTEM_UNDER_TEST).order_by()
_P99 = {LatencyKind.SERVICE_TIME: 6, LatencyKind.RESPONSE_TIME: 8}  # places in a tally of a group

CHECK_SECONDS = 180
MOST_LINES = 20  # of one workload

log = logging.getLogger(__name__)

Tally = dict[tuple[Any, ...], tuple[Any, ...]]


def all_workloads() -> list[int]:
    """Those of the totals, and those of the rows."""
    of_totals = WorkloadTotals.objects.values_list("workload_id", flat=True)
    return sorted({*of_totals, *Workload.objects.values_list("pk", flat=True)})


def differences(workload_id: int) -> list[str]:
    """What is wrong with the totals of a workload, in words; empty where nothing is, or the totals are not current."""
    with _one_snapshot():
        totals = WorkloadTotals.objects.filter(workload=workload_id).first()
        rows = Submission.objects.filter(workload=workload_id)
        if totals is None:
            return ["there are no totals, but rows"] if rows.exists() else []
        if not WorkloadTotals.objects.current().filter(workload=workload_id).exists():
            return []  # nobody reads them
        expected = [
            ("", _totals_of(totals), _counted(workload_id)),
            ("traits ", _kept_traits(workload_id), _counted_traits(workload_id)),
            ("group ", _kept_groups(workload_id), _counted_groups(workload_id)),
        ]
        words = [f"{name}{line}" for name, kept, counted in expected for line in _differing(kept, counted)]
        return words + _differing_noise(workload_id)


def check_some(seconds: float = CHECK_SECONDS) -> int:
    """Log what is wrong with workloads chosen at random, until the time is over; how many were compared."""
    workloads = all_workloads()
    shuffle(workloads)
    end = monotonic() + seconds
    compared = 0
    for workload in workloads:
        if monotonic() > end:
            break
        for line in differences(workload)[:MOST_LINES]:
            log.error("totals of workload %s: %s; manage.py check_summaries --rebuild", workload, line)
        compared += 1
    return compared


@contextmanager
def _one_snapshot() -> Iterator[None]:
    """Totals and rows of one moment, while others go on."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _differing(kept: Tally, counted: Tally) -> list[str]:
    return [
        f"{' '.join(map(str, key))}: {_words(kept.get(key))}, counted {_words(counted.get(key))}"
        for key in sorted({*kept, *counted}, key=str)
        if kept.get(key) != counted.get(key)
    ]


def _words(figures: tuple[Any, ...] | None) -> str:
    return "nothing" if figures is None else ", ".join(map(str, figures))


def _totals_of(totals: WorkloadTotals) -> Tally:
    names = (field.name for field in totals._meta.fields if field.name not in ("workload", "recounts"))
    return {(name,): (getattr(totals, name),) for name in names}


def _counted(workload_id: int) -> Tally:
    of_workload = Submission.objects.filter(workload=workload_id)
    published = Submission.objects.published().filter(workload=workload_id)
    priced = Submission.objects.rankable().priced().filter(workload=workload_id)
    valued = priced.on_shelf(None)
    ends = [
        of_workload.filter(**{f"{column}__gt": Now()}).aggregate(first=Min(column))["first"]
        for column in ("embargo_until", "unranked_until")
    ]
    successors = Submission.objects.filter(supersedes__in=of_workload.values("pk"), embargo_until__gt=Now())
    ends.append(successors.aggregate(first=Min("embargo_until"))["first"])
    figures = {
        "valid_until": min((end for end in ends if end), default=None),
        **published.aggregate(
            published=Count("pk"),
            providers=Count("provider", distinct=True),
            instance_types=Count("instance_type", distinct=True),
            newest=Max("measured_at"),
        ),
        "proven": Submission.objects.rankable().filter(workload=workload_id, trust__in=PROVEN).count(),
        "valued": valued.count(),
        "machine_types": valued.order_by().values("provider", "instance_type").distinct().count(),
        **{f"priced_{trust}": priced.filter(trust=trust).count() for trust in Trust},
    }
    return {(name,): (figure,) for name, figure in figures.items()}


def _kept_traits(workload_id: int) -> Tally:
    rows = TraitTotals.objects.filter(workload=workload_id, n__gt=0)
    return {tuple(key): (n,) for *key, n in rows.values_list("trust", "latency_kind", "bought", "traits", "n")}


def _counted_traits(workload_id: int) -> Tally:
    traits: Any = Value(0)
    for trait, condition in CONDITIONS.items():
        traits += Case(When(condition, then=Value(trait.value)), default=Value(0), output_field=IntegerField())
    of_databases = _SYSTEM.filter(role=Role.DATABASE).exclude(instance_type=OuterRef("instance_type"))
    rows = Submission.objects.with_retracted().filter(workload=workload_id).order_by("pk")
    models = (_SYSTEM.values("submission").annotate(model=of(F("pricing_model"))).values("model") for of in (Min, Max))
    first, last = (Subquery(model) for model in models)
    counts: Counter[tuple[Any, ...]] = Counter()
    mixed = set(rows.filter(Q(pk__in=_having(of_databases, rows))).values_list("pk", flat=True))
    values = rows.annotate(bits=traits, first=first, last=last)
    for pk, trust, kind, bits, one, other in values.values_list("pk", "trust", "latency_kind", "bits", "first", "last"):
        bought = (one or "") if one == other else "mixed"
        counts[trust, kind, bought, bits + (Trait.MIXED_MACHINES.value if pk in mixed else 0)] += 1
    return {key: (n,) for key, n in counts.items()}


def _having(groups: Any, rows: Any) -> Any:
    return rows.annotate(other=Subquery(groups.values("pk")[:1])).filter(other__isnull=False).values("pk")


def _kept_groups(workload_id: int) -> Tally:
    tallies: Tally = {}
    for group in GroupTotals.objects.filter(workload=workload_id, published__gt=0):
        tallies[group.by, group.key, group.trust] = (
            group.published,
            group.ranked,
            group.best_rate,
            group.priced,
            group.best_value,
            group.worst_value,
            group.service_time,
            group.best_service_time,
            group.response_time,
            group.best_response_time,
        )
    return tallies


def _counted_groups(workload_id: int) -> Tally:
    of_workload = Submission.objects.filter(workload=workload_id)
    ranked = set(Submission.objects.rankable().filter(workload=workload_id).values_list("pk", flat=True))
    priced = set(Submission.objects.rankable().priced().filter(workload=workload_id).values_list("pk", flat=True))
    tallies: dict[tuple[Any, ...], list[Any]] = {}
    published = Submission.objects.published() & of_workload
    for row in published.defer("document", "notes", "bill").order_by("pk").iterator():
        for by, columns in COLUMNS.items():
            key = (by, key_of(tuple(getattr(row, column) for column in columns)), row.trust)
            _add(tallies.setdefault(key, [0, 0, None, 0, None, None, 0, None, 0, None]), row, ranked, priced)
    return {key: tuple(tally) for key, tally in tallies.items()}


def _add(tally: list[Any], row: Submission, ranked: set[int], priced: set[int]) -> None:
    """Rows come in the order of their ids: of equal figures the last is the best."""
    tally[0] += 1
    if row.pk in ranked:
        tally[1] += 1
        tally[2] = _better(tally[2], [row.throughput_ops_s, row.pk])
        place = _P99.get(LatencyKind(row.latency_kind))
        if place and row.latency_p99_at_most_ms:
            tally[place] += 1
            tally[place + 1] = _better(tally[place + 1], [-row.latency_p99_at_most_ms, row.pk])
    if row.pk in priced:
        tally[3] += 1
        tally[4] = _better(tally[4], [row.ops_per_usd, row.pk])
        tally[5] = row.ops_per_usd if tally[5] is None else min(tally[5], row.ops_per_usd)


def _better(best: list[Any] | None, new: list[Any]) -> list[Any]:
    return new if best is None else max(best, new)


def _differing_noise(workload_id: int) -> list[str]:
    words = []
    for kind in LatencyKind:
        kept = totals_noise_books([workload_id], kind).get(workload_id, NO_NOISE)
        counted = plain_noise_books([workload_id], kind)[workload_id]
        for shelf, noise in counted.by_shelf.items():
            for metric in ("throughput", "latency_p99"):
                one = _figures(getattr(kept.by_shelf[shelf], metric))
                other = _figures(getattr(noise, metric))
                if not all(map(_is_close, one, other)):
                    words.append(f"noise of {metric} {kind} {shelf or 'default'}: {one}, counted {other}")
    return words


def _figures(noise: Any) -> Sequence[float | None]:
    spreads = [
        figure
        for spread in (noise.of_trials, noise.of_runs)
        for figure in ((spread.sd, spread.freedom) if spread else (None, None))
    ]
    return [*spreads, noise.trials, noise.configurations]


def _is_close(one: float | None, other: float | None) -> bool:
    """The sums of the totals are exact, those of the rows are of floats."""
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=1e-7, abs_tol=1e-12)
