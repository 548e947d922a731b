"""The noise of a workload, and a submission as a side of a verdict: every page that sets two beside each other."""

import re
from collections.abc import Sequence

from submissions.analysis.comparison.verdicts import Series
from submissions.choices import LatencyKind
from submissions.ingest.checks.noise import NoiseBook, noise_books
from submissions.models import Submission, Trial

SERIES_OF_RUNS = re.compile(r"series-[0-9]+")  # of this site: runners/models/series.py


def workload_noise(workload_id: int, kind: LatencyKind) -> NoiseBook:
    """Two queries."""
    return noise_books([workload_id], kind)[workload_id]


def series_of(row: Submission, trials: Sequence[Trial]) -> Series | None:
    """None where it was not measured in turns, or the starts of its trials are not all known.

    Results of this site's series of runs are launches of their own: trials of two of them at the same time hold no
    noise between launches, so that their rounds would be too sure. The page of the series compares them by launch.
    """
    starts = tuple(trial.started_at for trial in trials if trial.started_at)
    if not row.series or len(starts) < len(trials) or SERIES_OF_RUNS.fullmatch(row.series):
        return None
    return Series(f"{row.submitted_by_id} {row.series}", starts)
