"""Interval files: what is stored is read, a lost file is no error, a client without rows makes no trial."""

import gzip
import json

import pytest
from django.core.files.storage import default_storage

from submissions.analysis.curves.steady_state import Interval
from submissions.choices import ArtifactKind
from submissions.ingest.curves.interval_curves import curves_of_content
from submissions.ingest.curves.intervals import COLUMNS
from submissions.records.curves.interval_record import (
    RecordedTrial,
    curves_by_submission,
    curves_of,
    recorded_trials,
)
from tests.factories import ArtifactFactory, SubmissionFactory
from tests.queries import queries_of


def row(elapsed, operations, operation="total", p99=4.0):
    values = {"operation": operation, "elapsed_seconds": elapsed, "operations": operations, "errors": 1, "p99_ms": p99}
    return [values.get(column) for column in COLUMNS]


def content(*trials):
    return {"columns": list(COLUMNS), "trials": [{"index": n, "clients": clients} for n, clients in enumerate(trials)]}


def trials_of(content):
    return curves_of_content(content).trials


def stored(submission=None, *trials):
    data = gzip.compress(json.dumps(content(*trials)).encode())
    given = {"submission": submission} if submission else {}
    return ArtifactFactory(content=data, kind=ArtifactKind.INTERVALS, name="intervals.json.gz", **given)


def test_only_rows_over_all_types_count():
    trials = trials_of(content([[row(1.0, 100), row(1.0, 60, "write"), row(1.0, 40, "read")]]))

    assert recorded_trials(trials) == (RecordedTrial(0, ((Interval(0.0, 1.0, 99, 1, 4.0),),)),)


def test_types_without_a_row_over_all_of_them_are_no_series():
    assert recorded_trials(trials_of(content([[row(1.0, 60, "write"), row(1.0, 40, "read")]]))) == ()


def p99s(*rows):
    [trial] = trials_of(content([list(rows)]))
    return [point.p99_ms for point in trial.clients[0].points], trial.has_p99_of_slowest


def test_where_only_types_have_a_p99_that_of_the_slowest_bounds_all():
    # YCSB: the status line has no p99, its blocks have
    first = [row(1.0, 100, p99=None), row(1.0, 60, "read", 3.0), row(1.0, 40, "update", 7.0)]
    idle = [row(2.0, 50, p99=None), row(2.0, 50, "read", 2.0), row(2.0, 0, "update", None)]
    silent = [row(3.0, 50, p99=None), row(3.0, 50, "read", None), row(3.0, 20, "update", 4.0)]

    assert p99s(*first, *idle, *silent) == ([7.0, 2.0, None], True)


def test_the_p99_of_the_only_type_is_that_of_all():
    assert p99s(row(1.0, 100, p99=None), row(1.0, 100, "insert", 3.0)) == ([3.0], False)


def test_a_p99_over_all_types_is_left_as_it_is():
    assert p99s(row(1.0, 100, p99=5.0), row(1.0, 100, "insert", 9.0)) == ([5.0], False)
    assert p99s(row(1.0, 100, p99=None), row(1.0, 100, "insert", None)) == ([None], False)


def test_a_trial_of_which_a_client_printed_nothing_is_no_trial_to_compute_with():
    trials = trials_of(content([[row(1.0, 100)], []], [[row(2.0, 100)]]))

    assert [(trial.index, trial.end_s) for trial in recorded_trials(trials)] == [(1, 2.0)]


@pytest.mark.django_db
def test_a_stored_file_is_read_and_a_lost_one_is_no_error():
    artifact = stored(None, [[row(1.0, 100)]])
    lost = stored(None, [[row(2.0, 100)]])
    default_storage.delete(lost.storage_name)

    assert curves_of(artifact.submission, [artifact]).trials == trials_of(content([[row(1.0, 100)]]))
    assert curves_of(lost.submission, [lost]).trials == ()
    assert curves_of(artifact.submission, []).trials == ()


@pytest.mark.django_db
def test_the_curves_of_several_submissions_take_the_queries_of_one():
    having = [stored(None, [[row(1.0, 100)]]).submission for _ in range(3)]
    without = SubmissionFactory()

    of_one = queries_of(lambda: curves_by_submission([*having[:1], without]))
    assert queries_of(lambda: curves_by_submission([*having, without])) == of_one
    assert sorted(curves_by_submission([*having, without])) == sorted(submission.pk for submission in having)
