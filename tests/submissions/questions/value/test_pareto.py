"""Cost against throughput: the Pareto front, from the database and in memory."""

from decimal import Decimal

import pytest

from submissions.models import Submission
from submissions.questions.value.pareto import pareto_rows, systems_of, value_rows
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def priced(hourly_usd, throughput):
    return SubmissionFactory(hourly_usd=Decimal(str(hourly_usd)), throughput_ops_s=float(throughput))


def test_the_front_of_the_database_is_that_of_the_analysis():
    for cost, rate in ((1, 100), (1, 90), (2, 100), (2, 150), (3, 140), (4, 400), (5, 400), (6, 401)):
        priced(cost, rate)
    all_rows = Submission.objects.rankable().priced()

    front = [(int(row.hourly_usd), row.throughput_ops_s) for row in pareto_rows(all_rows)]

    assert front == [(1, 100.0), (2, 150.0), (4, 400.0), (6, 401.0)]
    assert list(systems_of(list(all_rows)).front) == list(pareto_rows(all_rows))


def test_a_chart_keeps_the_whole_front_when_it_is_cut():
    for cost, rate in ((1, 1000), (1.1, 1050), (50, 2000), (60, 1500)):
        priced(cost, rate)
    rows = value_rows(Submission.objects.listed().priced(), limit=1)

    assert sorted(row.throughput_ops_s for row in rows) == [1000.0, 1050.0, 2000.0]
