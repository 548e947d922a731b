"""Which marks a result has on a day."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from submissions.age.drift import Drift
from submissions.age.marks import age_of, old_before, twelve_months_before
from submissions.age.retired import LastList, Sold
from submissions.choices import AgeMark
from submissions.models import Submission

TODAY = date(2026, 11, 23)


def row(**facts):
    known = {
        "pk": 7,
        "measured_at": datetime(2026, 11, 1, tzinfo=UTC),
        "service": "cassandra",
        "service_version": "5.0.2",
        "provider": "aws",
        "region": "us-east-1",
        "instance_type": "m7g.large",
    }
    return Submission(**{**known, **facts})


def marks(today=TODAY, retired=None, drift=None, **facts):
    return age_of(row(**facts), today, retired or {}, {7: drift} if drift else {}).marks


def test_a_result_of_this_month_on_what_is_sold_and_supported_has_no_mark():
    assert marks() == ()


@pytest.mark.parametrize(
    ("today", "first"),
    [
        (date(2026, 11, 23), date(2025, 11, 23)),
        (date(2028, 2, 29), date(2027, 2, 28)),
        (date(2029, 2, 28), date(2028, 2, 28)),
        (date(2026, 1, 1), date(2025, 1, 1)),
    ],
)
def test_twelve_months_end_on_the_same_day_of_the_year_before(today, first):
    assert twelve_months_before(today) == first


def test_a_result_is_old_on_the_day_after_twelve_months():
    exactly = datetime(2025, 11, 23, tzinfo=UTC)
    the_moment_before = datetime(2025, 11, 22, 23, 59, 59, tzinfo=UTC)

    assert marks(measured_at=exactly) == ()
    assert marks(measured_at=the_moment_before) == (AgeMark.OLD_RESULT,)
    assert the_moment_before < old_before(TODAY) <= exactly


def test_an_unknown_date_is_not_old_but_unknown():
    age = age_of(row(measured_at=None), TODAY, {}, {})

    assert (age.marks, age.measured_on) == ((), None)


def test_support_ends_for_the_database_and_for_the_jdk():
    assert marks(service="postgresql", service_version="14.2", today=date(2026, 11, 12)) == ()
    assert marks(service="postgresql", service_version="14.2", today=date(2026, 11, 13)) == (AgeMark.VERSION_EOL,)
    assert marks(jdk_vendor="oracle", jdk_version="7u80") == (AgeMark.VERSION_EOL,)
    assert marks(jdk_vendor="oracle", jdk_version="8u51") == ()
    assert marks(service_version=None, jdk_version="7") == ()


def test_a_type_is_gone_in_the_region_where_it_was_bought():
    retired = {Sold("aws", "us-east-1", "m1.small"): LastList(date(2026, 7, 20), date(2026, 10, 15))}

    assert marks(retired=retired, instance_type="m1.small") == (AgeMark.TYPE_RETIRED,)
    assert marks(retired=retired, instance_type="m1.small", region="eu-west-1") == ()
    assert marks(retired=retired, instance_type="m1.small", region=None) == ()


def test_marks_have_one_order():
    all_of_them = marks(
        measured_at=datetime(2015, 1, 1, tzinfo=UTC),
        service_version="2.1.8",
        drift=Drift(Decimal(1), Decimal(2)),
        retired={Sold("aws", "us-east-1", "m7g.large"): LastList(date(2026, 7, 20), date(2026, 10, 15))},
    )

    assert all_of_them == AgeMark.MARKS
