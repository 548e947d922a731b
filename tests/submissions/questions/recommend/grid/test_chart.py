"""The chart of what a p99 costs: a line for each database, and no point where there is a gap."""

import pytest
from django.http import QueryDict

from submissions.questions.recommend.grid.table import charts
from tests.submissions.questions.recommend.results import cluster, workload

pytestmark = pytest.mark.django_db


def test_a_database_has_a_line_with_the_rates_that_it_was_measured_to_do():
    cluster(60_000.0, usd="2.00", nodes=3)
    cluster(20_000.0, usd=None, instance_type="own", workload=workload("other", service="redis"))

    [chart] = charts(QueryDict())

    [line] = chart.figure["data"]
    assert (line["x"], line["y"]) == ([10_000.0, 50_000.0], [4380.0, 4380.0])
    assert chart.query == "?max_p99_ms=10"


@pytest.mark.parametrize("query", ["service=cassandra", "max_p99_ms=slow", ""])
def test_without_prices_or_with_a_question_there_is_none(query):
    assert charts(QueryDict(query)) == ()
