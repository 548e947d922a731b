"""Background tasks: what goes on slice by slice ends with all of it done."""

import pytest

from submissions import tasks
from submissions.choices import ArtifactKind
from submissions.ingest.curves import intervals, stored_curves
from submissions.ingest.document.readings import Interval
from submissions.ingest.logs.trial_results import TrialResult
from submissions.models import IntervalCurves
from tests.factories import ArtifactFactory


@pytest.mark.django_db
def test_curves_of_older_files_are_made_a_slice_at_a_time(monkeypatch):
    for rate in (100.0, 200.0, 300.0):
        trial = TrialResult(throughput_ops_s=rate, intervals=((Interval("total", 1.0, 100, 0, rate),),))
        ArtifactFactory(kind=ArtifactKind.INTERVALS, name="intervals.json.gz", content=intervals.packed([trial]))
    messages = [{}]
    monkeypatch.setattr(stored_curves, "SLICE_SECONDS", 0)
    monkeypatch.setattr(tasks.make_interval_curves, "apply_async", lambda kwargs: messages.append(kwargs))

    done = []
    while messages:
        tasks.make_interval_curves(**messages.pop())
        done.append(IntervalCurves.objects.count())

    assert done == [1, 2, 3, 3]
