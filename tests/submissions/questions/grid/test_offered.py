"""The workloads that a grid offers, on a site with many results."""

import time

import pytest

from submissions.choices import Trust
from submissions.questions.grid.offered import families
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS
from submissions.records import cache
from submissions.records.list.counts import COUNTED_SECONDS
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


def test_of_many_results_they_are_taken_for_some_seconds_and_then_are_those_of_the_rows(clear_cache, monkeypatch):
    now = float(int(time.time()))
    monkeypatch.setattr(cache.time, "time", lambda: now)
    workload = WorkloadFactory()
    layout = next(iter(DEFAULT_LAYOUTS.values()))

    def offered():
        return [own.choice.submissions for own in families(layout, None).families]

    SubmissionFactory(workload=workload, trust=Trust.LOG_VERIFIED)
    assert offered() == [1]
    SubmissionFactory(workload=workload, trust=Trust.LOG_VERIFIED)
    assert offered() == [2]  # of few results always

    monkeypatch.setattr("submissions.records.list.counts.MANY", 0)
    SubmissionFactory(workload=workload, trust=Trust.LOG_VERIFIED)
    assert offered() == [2]
    now += COUNTED_SECONDS + 1
    assert offered() == [3]
