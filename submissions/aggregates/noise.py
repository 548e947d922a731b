"""How much ranked results of a workload vary, as sums over its configurations and repeated runs: see `analysis.noise`.

Runs are those of one configuration, trials those of one run. Sums are of whole multiples of 1 / UNIT, so that no order
of additions changes them, and what a configuration gave can be taken out again.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import fsum, log
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS as PRIMARY
from django.db.models import Case, Q, QuerySet, Value, When

from submissions.aggregates.kinds import Kind, State
from submissions.choices import PROVEN, Trust
from submissions.models import CompiledQuery, Submission, SubmissionQuerySet, Trial, given_ids

# What a reader's lowest trust level counts: nobody changes a verdict on results with a log by numbers without one.
COUNTED_WITH: Mapping[Trust, tuple[str, ...]] = {
    Trust.LOG_VERIFIED: tuple(PROVEN),
    Trust.UPLOADED: (Trust.UPLOADED, *PROVEN),
    Trust.HISTORICAL: (Trust.HISTORICAL,),
}
UNIT = 10**30
AT_ONCE = 2_000  # runs whose trials are in memory together
THROUGHPUT = ""  # beside the kinds of a p99


class _Run(NamedTuple):
    configuration: str
    trust: str
    rate: float
    p99: float | None
    latency_kind: str
    repetitions: int
    is_new: bool

    def figures(self) -> Iterator[tuple[str, float]]:
        """(throughput or kind of a p99, figure)."""
        yield THROUGHPUT, self.rate
        if self.p99:
            yield self.latency_kind, self.p99


class NoiseKind(Kind):
    """State: {lowest trust: {"" or kind of the p99: sums}}, all of them whole numbers.

    "square" is the sum of squared deviations of logarithms, "freedom" the number of runs less that of configurations,
    "trials_share" the sum of freedom / trials; "trial_square" and "trial_freedom" are the same of trials.
    """

    name = "noise"
    code = "1"

    def rows(self, submissions: SubmissionQuerySet) -> None:
        """No run counts by itself."""

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        raise AssertionError("there are no rows")

    def finish(self, state: State, submissions: Sequence[int]) -> None:
        self._add_configurations(state, submissions)
        self._add_trials(state, submissions)

    def _add_configurations(self, state: State, submissions: Sequence[int]) -> None:
        """Of the configurations of these runs: what they say with them, less what they said without them."""
        for runs in _by_configuration(submissions):
            for lowest, counted in COUNTED_WITH.items():
                now = [run for run in runs if run.trust in counted]
                _add_runs(state, lowest, now, 1)
                _add_runs(state, lowest, [run for run in now if not run.is_new], -1)

    def _add_trials(self, state: State, submissions: Sequence[int]) -> None:
        chunks = (submissions[first : first + AT_ONCE] for first in range(0, len(submissions), AT_ONCE))
        trials = (row for chunk in chunks for row in _REPETITIONS.rows_from(PRIMARY, ids=chunk))
        for (_, trust), of_run in groupby(trials, key=lambda row: row[:2]):
            figures = defaultdict(list)
            for *_, rate, kind, p99 in of_run:
                if rate:
                    figures[THROUGHPUT].append(rate)
                if p99:
                    figures[kind].append(p99)
            for kind, known in figures.items():
                for lowest in (lowest for lowest, counted in COUNTED_WITH.items() if trust in counted):
                    _add(state, lowest, kind, trial_freedom=len(known) - 1, trial_square=_units(_square(known)))


NOISE = NoiseKind()


def _ranked_runs(ids: str) -> QuerySet[Submission, tuple[Any, ...]]:
    """All ranked runs of the configurations that these have, and whether they are of these."""
    ranked = Submission.objects.rankable()
    new = ranked.filter(pk__in=given_ids(ids)).order_by()
    of_these = ranked.filter(workload__in=new.values("workload"), configuration__in=new.values("configuration"))
    return of_these.order_by("configuration", "pk").values_list(
        *("configuration", "trust", "throughput_ops_s", "latency_p99_at_most_ms", "latency_kind"),
        *("averaged_over", "trials_count"),
        Case(When(Q(pk__in=given_ids(ids)), then=Value(True)), default=Value(False)),
    )


def _repetitions(ids: str) -> QuerySet[Trial, tuple[Any, ...]]:
    repeated = Submission.objects.rankable().filter(pk__in=given_ids(ids), trials_count__gt=1, averaged_over=None)
    return (
        Trial.objects.repetitions()
        .filter(submission__in=repeated.order_by().values("pk"))
        .order_by("submission_id", "index")
        .values_list("submission_id", "submission__trust", "throughput_ops_s", "latency_kind", "latency_p99_ms")
    )


_RANKED_RUNS = CompiledQuery(_ranked_runs, ids="ids")
_REPETITIONS = CompiledQuery(_repetitions, ids="ids")


def _by_configuration(submissions: Sequence[int]) -> Iterator[Sequence[_Run]]:
    """The runs of each configuration that these have. One query."""
    rows = _RANKED_RUNS.rows_from(PRIMARY, ids=submissions)
    runs = (_Run._make((*run[:5], run[5] or max(run[6], 1), run[7])) for run in rows)
    for _, of_one in groupby(runs, key=lambda run: run.configuration):
        yield list(of_one)


def _add_runs(state: State, lowest: Trust, runs: Collection[_Run], sign: int) -> None:
    figures = defaultdict(list)
    for run in runs:
        for kind, figure in run.figures():
            figures[kind].append((figure, run.repetitions))
    for kind, known in figures.items():
        freedom = len(known) - 1
        share = freedom * fsum(1 / repetitions for _, repetitions in known) / len(known)
        square = _units(_square(figure for figure, _ in known))
        sums = {"configurations": 1, "freedom": freedom, "square": square, "trials_share": _units(share)}
        _add(state, lowest, kind, **{name: sign * number for name, number in sums.items()})


def _add(state: State, lowest: Trust, kind: str, **more: int) -> None:
    sums = state.setdefault(lowest, {}).setdefault(kind, {})
    for name, number in more.items():
        sums[name] = sums.get(name, 0) + number


def _square(figures: Iterable[float]) -> float:
    """The sum of squared deviations of the logarithms."""
    logs = [log(figure) for figure in figures]
    mean = fsum(logs) / len(logs)
    return fsum((x - mean) ** 2 for x in logs)


def _units(figure: float) -> int:
    return round(figure * UNIT)
