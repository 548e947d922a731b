"""Many pairs of results compared at once: the verdict on each is that of every page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from submissions.analysis.comparison.compare import Comparison, Noise, compare
from submissions.analysis.comparison.noise import joined
from submissions.choices import LatencyKind
from submissions.ingest.checks.noise import PRECEDENCE, NoiseBook, configuration_runs, noise_books
from submissions.models import Submission, Trial
from submissions.questions.compare.query import measured

SubmissionPair = tuple[Submission, Submission]


def comparisons(pairs: Sequence[SubmissionPair], load: str = "") -> Mapping[tuple[int, int], Comparison]:
    """The second of each pair against the first, by their keys. Three queries for each kind of latency among them.

    `load`: what both sides ran, though their workloads differ; their noise is then that of both workloads together.
    """
    trials = _trials(list({row.pk: row for pair in pairs for row in pair}.values()))
    found: dict[tuple[int, int], Comparison] = {}
    for kind in LatencyKind:
        own = [pair for pair in pairs if pair[0].latency_kind == kind]
        if not own:
            continue
        of_kind = list({row.pk: row for pair in own for row in pair}.values())
        runs = configuration_runs(of_kind, kind)
        books = noise_books({row.workload_id for row in of_kind}, kind)
        for a, b in own:
            sides = [measured(row, trials[row.pk], runs[row.pk]) for row in (a, b)]
            if load:
                sides = [replace(side, workload=load) for side in sides]
            found[a.pk, b.pk] = compare(sides[0], sides[1], _noise(a, b, books))
    return found


def _trials(rows: Sequence[Submission]) -> dict[int, list[Trial]]:
    trials: dict[int, list[Trial]] = {row.pk: [] for row in rows}
    if not rows:
        return trials
    repetitions = Trial.objects.repetitions().filter(submission__in=trials).defer("histograms")
    for trial in repetitions.order_by("submission_id", "index"):
        trials[trial.submission_id].append(trial)
    return trials


def _noise(a: Submission, b: Submission, books: Mapping[int, NoiseBook]) -> Noise:
    trust_filter = max(a.trust_filter, b.trust_filter, key=PRECEDENCE.__getitem__)
    one, other = (books[row.workload_id].of_trust_filter(trust_filter) for row in (a, b))
    if a.workload_id == b.workload_id:
        return one
    return Noise(joined(one.throughput, other.throughput), joined(one.latency_p99, other.latency_p99))
