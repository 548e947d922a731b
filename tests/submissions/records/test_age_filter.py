"""Choosing results by their age marks."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.http import QueryDict
from django.utils import timezone

from submissions.choices import AgeMark
from submissions.models import Submission
from submissions.records.age_filter import ONE_WORKLOAD, Exclusion, conditions_on, drifted_ids
from submissions.records.ages import ages_of
from submissions.records.list.filters import SubmissionFilter
from tests.factories import PriceFactory, SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 23)


@pytest.fixture
def workload():
    """Three results on a type whose price has doubled, one of them at a stated price; one on a type that has not."""
    workload = WorkloadFactory(title="w", fingerprint="ab" * 8)
    facts = {"workload": workload, "measured_at": datetime(2026, 6, 1, tzinfo=UTC), "hourly_usd": Decimal("1.596")}
    PriceFactory(valid_from=date(2026, 1, 1), last_seen=date(2026, 9, 1))
    PriceFactory(usd=Decimal("1.064"), valid_from=date(2026, 10, 1), last_seen=TODAY)
    PriceFactory(sku="m5.xlarge", valid_from=date(2026, 1, 1), last_seen=TODAY)
    SubmissionFactory(**facts)
    SubmissionFactory(**facts, service_version="5.0.2")
    SubmissionFactory(**facts, is_price_stated=True)
    SubmissionFactory(**facts, instance_type="m5.xlarge")
    SubmissionFactory()  # of another workload
    return workload


def test_rows_that_are_chosen_are_those_whose_marks_say_so(workload):
    ages = ages_of(Submission.objects.all(), TODAY)
    conditions = conditions_on(TODAY, workload.pk)
    of_workload = Submission.objects.filter(workload=workload)

    for mark in AgeMark.MARKS:
        chosen = set(of_workload.filter(conditions[mark]).values_list("pk", flat=True))
        assert chosen == {row.pk for row in of_workload if mark in ages[row.pk].marks}, mark
    assert of_workload.filter(conditions[AgeMark.PRICE_DRIFT]).count() == 2
    assert of_workload.exclude(Exclusion(AgeMark.PRICE_DRIFT, TODAY).condition(workload.pk)).count() == 2


def test_drift_is_cached_until_a_new_result_comes(workload, monkeypatch):
    before = drifted_ids(workload.pk, TODAY)
    with monkeypatch.context() as patch:
        patch.setattr("submissions.records.age_filter.drifts", None)
        assert drifted_ids(workload.pk, TODAY) == before

    new = SubmissionFactory(
        workload=workload, measured_at=datetime(2026, 6, 1, tzinfo=UTC), hourly_usd=Decimal("1.596")
    )

    assert drifted_ids(workload.pk, TODAY) == before | {new.pk}


def test_what_is_not_public_is_in_no_cached_answer(workload):
    hidden = SubmissionFactory(
        workload=workload,
        measured_at=datetime(2026, 6, 1, tzinfo=UTC),
        hourly_usd=Decimal("1.596"),
        visibility="private",
        published_at=None,
    )

    assert hidden.pk not in drifted_ids(workload.pk, TODAY)


def test_drift_takes_one_workload_and_says_so():
    problems = SubmissionFilter(QueryDict("age=price_drift&exclude_age=price_drift"), Submission.objects.all()).errors

    assert problems == {"age": [ONE_WORKLOAD], "exclude_age": [ONE_WORKLOAD]}
    assert not SubmissionFilter(QueryDict(f"age=price_drift&workload={'ab' * 8}"), Submission.objects.all()).errors


@pytest.mark.parametrize("query", ["age=fresh", "exclude_age=unmarked", "exclude_age=old"])
def test_the_vocabulary_is_closed(query):
    assert SubmissionFilter(QueryDict(query), Submission.objects.all()).errors


def test_a_list_leaves_out_and_picks(workload):
    def listed(query):
        return SubmissionFilter(QueryDict(query), Submission.objects.order_by("pk")).qs

    assert [row.service_version for row in listed("exclude_age=version_eol")] == ["5.0.2"]
    assert listed("age=version_eol").count() == 4
    assert listed("age=old_result").count() == 1
    assert listed(f"workload={workload.fingerprint}&age=price_drift").count() == 2
    assert listed("age=unmarked").get().service_version == "5.0.2"
    assert listed("age=unmarked").query is not None
    assert SubmissionFilter(QueryDict(""), Submission.objects.all()).today == timezone.now().date()
