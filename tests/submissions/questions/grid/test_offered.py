"""The workloads that a grid offers."""

import pytest

from submissions.choices import Trust
from submissions.questions.grid.offered import families
from submissions.questions.grid.parameters import DEFAULT_LAYOUTS
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("many", [0, 20_000])
def test_they_are_those_of_the_rows_on_a_site_with_many_results_too(clear_cache, monkeypatch, many):
    monkeypatch.setattr("submissions.records.list.counts.MANY", many)
    workload = WorkloadFactory()
    layout = next(iter(DEFAULT_LAYOUTS.values()))

    def offered():
        return [own.choice.submissions for own in families(layout, None).families]

    SubmissionFactory(workload=workload, trust=Trust.LOG_VERIFIED)
    assert offered() == [1]
    SubmissionFactory(workload=workload, trust=Trust.LOG_VERIFIED)
    assert offered() == [2]
