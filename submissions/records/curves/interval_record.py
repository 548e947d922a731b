"""What load tools printed during a run, as charts and windows read it: the stored curves, not the file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from submissions.analysis.curves.interval_curves import RunCurves, TrialCurve
from submissions.analysis.curves.steady_state import Interval
from submissions.choices import ArtifactKind, LoadMode
from submissions.ingest.curves.stored_curves import NO_CURVES, curves_of_file, stored_curves
from submissions.models import Artifact, Submission, Trial


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """The intervals of a trial whose clients all have some."""

    index: int  # from 0
    clients: tuple[tuple[Interval, ...], ...]
    width_s: float | None = None  # of what counts as one interval, where several are stored together

    @property
    def end_s(self) -> float:
        return max(series[-1].end_s for series in self.clients)


def curves_of(submission: Submission, artifacts: Iterable[Artifact]) -> RunCurves:
    """Of one whose files are read already: one query where it has intervals, else none."""
    if not any(artifact.kind == ArtifactKind.INTERVALS for artifact in artifacts):
        return NO_CURVES
    return curves_by_submission([submission]).get(submission.pk, NO_CURVES)


def curves_by_submission(submissions: Sequence[Submission]) -> dict[int, RunCurves]:
    """Of those that have any, of a load curve the trials of its peak; one query.

    Those stored by an older version of the site are made of their files, as long as the background task has not
    stored them: reading a page writes nothing, as a replica could not.
    """
    files: dict[int, Artifact] = {}
    kept = Artifact.objects.filter(submission__in=submissions, kind=ArtifactKind.INTERVALS, removed_at=None)
    for artifact in kept.select_related("curves").order_by("pk"):
        files.setdefault(artifact.submission_id, artifact)
    found = {pk: stored_curves(artifact) for pk, artifact in files.items()}
    loads = [one.pk for one in submissions if one.load_mode == LoadMode.CURVE and found.get(one.pk, NO_CURVES) is None]
    others = Trial.objects.filter(submission__in=loads, is_at_peak=False) if loads else Trial.objects.none()
    elsewhere = list(others.values_list("submission_id", "index"))
    made = {
        pk: _made(files[pk], [index for of, index in elsewhere if of == pk]) if curves is None else curves
        for pk, curves in found.items()
    }
    return {pk: curves for pk, curves in made.items() if curves.trials}


def recorded_trials(trials: Iterable[TrialCurve]) -> tuple[RecordedTrial, ...]:
    """Those of which every client has intervals."""
    recorded = []
    for trial in trials:
        clients = tuple(client.intervals for client in trial.clients)
        if clients and all(clients):
            widths = [client.width_s for client in trial.clients if client.width_s is not None]
            recorded.append(RecordedTrial(trial.index, clients, max(widths, default=None)))
    return tuple(recorded)


def _made(artifact: Artifact, elsewhere: Sequence[int]) -> RunCurves:
    try:
        return curves_of_file(artifact, elsewhere)
    except FileNotFoundError:
        return NO_CURVES
