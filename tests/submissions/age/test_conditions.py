"""The marks as conditions of the database, and the same rows by their marks in Python."""

from datetime import UTC, date, datetime
from itertools import product

import pytest
from django.db.models import Q

from submissions.age.conditions import has_any, mark_conditions, marks_in, marks_text
from submissions.age.drift import Drift
from submissions.age.marks import age_of
from submissions.age.retired import LastList, Sold
from submissions.choices import AgeMark
from submissions.models import Submission
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 23)
RETIRED = {
    Sold("aws", "us-east-1", "m1.small"): LastList(date(2026, 7, 20), date(2026, 10, 15)),
    Sold("aws", "eu-west-1", "m1.small"): LastList(date(2026, 7, 20), date(2026, 10, 15)),
    Sold("aws", "us-east-1", "hi1.4xlarge"): LastList(date(2017, 9, 21), date(2026, 10, 15)),
}
DAYS = (None, datetime(2025, 11, 22, 23, 59, tzinfo=UTC), datetime(2025, 11, 23, tzinfo=UTC))
DATABASES = (
    ("cassandra", "2.1.8"),
    ("cassandra", "4.1.3"),
    ("cassandra", None),
    ("postgresql", "14.2 (Debian 14.2-1)"),
    ("postgresql", "17.2"),
    ("redis", "2.1.8"),
)
JDKS = ((None, None), ("oracle", "1.7.0_80"), ("oracle", "8u51"), (None, "7u80"), ("openjdk", "7u80"))
PLACES = (("us-east-1", "m1.small"), ("eu-west-1", "hi1.4xlarge"), ("us-east-1", "m7g.large"), (None, "m1.small"))


@pytest.fixture
def rows():
    """Every combination, each with its age by Python: the third row of each place costs more today."""
    made = []
    for (service, version), (vendor, jdk), (region, machine), day in product(DATABASES, JDKS, PLACES, DAYS):
        made.append(
            SubmissionFactory.build(
                service=service,
                service_version=version,
                jdk_vendor=vendor,
                jdk_version=jdk,
                region=region,
                instance_type=machine,
                measured_at=day,
                submitted_by=None,
                workload=None,
            )
        )
    first = SubmissionFactory()
    for row in made:
        row.workload, row.submitted_by = first.workload, first.submitted_by
    Submission.objects.bulk_create(made)
    drifted = {row.pk: Drift(1, 2) for place, row in enumerate(made) if place % 3 == 0}
    return {row.pk: age_of(row, TODAY, RETIRED, drifted).marks for row in [*made, first]}, drifted


def test_a_condition_holds_exactly_for_the_rows_that_have_the_mark(rows):
    marks, drifted = rows
    conditions = mark_conditions(TODAY, RETIRED, drifted)

    assert len(marks) == 361
    for mark in AgeMark.MARKS:
        marked = {pk for pk, own in marks.items() if mark in own}
        assert 0 < len(marked) < len(marks)
        assert set(Submission.objects.filter(conditions[mark]).values_list("pk", flat=True)) == marked
        assert set(Submission.objects.exclude(conditions[mark]).values_list("pk", flat=True)) == set(marks) - marked


def test_any_of_several_marks_and_none(rows):
    marks, drifted = rows
    conditions = mark_conditions(TODAY, RETIRED, drifted)
    chosen = (AgeMark.OLD_RESULT, AgeMark.VERSION_EOL)

    def found(*wanted):
        return set(Submission.objects.filter(has_any(conditions, wanted)).values_list("pk", flat=True))

    assert found(*chosen) == {pk for pk, own in marks.items() if set(own) & set(chosen)}
    assert found(AgeMark.UNMARKED) == {pk for pk, own in marks.items() if not set(own) - {AgeMark.PRICE_DRIFT}}
    assert found(AgeMark.UNMARKED, AgeMark.OLD_RESULT) == found(AgeMark.UNMARKED) | found(AgeMark.OLD_RESULT)
    assert found(AgeMark.MARKED) == set(marks) - found(AgeMark.UNMARKED)
    assert found() == set()


def test_the_text_of_a_row_has_its_marks(rows):
    marks, drifted = rows
    texts = Submission.objects.annotate(age=marks_text(mark_conditions(TODAY, RETIRED, drifted)))

    for pk, text in texts.values_list("pk", "age"):
        assert set(marks_in(text)) - {AgeMark.MARKED, AgeMark.UNMARKED} == set(marks[pk])
        assert (AgeMark.UNMARKED in marks_in(text)) == (not set(marks[pk]) - {AgeMark.PRICE_DRIFT})


def test_what_is_not_looked_up_is_no_condition():
    assert AgeMark.PRICE_DRIFT not in mark_conditions(TODAY, {}, None)
    SubmissionFactory()
    assert not Submission.objects.filter(mark_conditions(TODAY, {}, ())[AgeMark.PRICE_DRIFT] & Q()).exists()
