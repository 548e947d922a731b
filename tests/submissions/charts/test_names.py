"""Files that leave the site are named by their page and their day."""

from datetime import date

import pytest

from submissions.charts.names import picture_name

DAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("path", "key", "name"),
    [
        ("/value/", "groups", "benchsite-value-by-cloud-2026-11-22"),
        ("/value/?workload=ab&by=jdk", "groups", "benchsite-value-by-jdk-2026-11-22"),
        ("/value/?by=jdk", "pareto", "benchsite-value-pareto-2026-11-22"),
        ("/workloads/0123456789abcdef/", "leaderboard", "benchsite-workloads-01234567-by-instance-type-2026-11-22"),
        ("/submissions/72/", "percentile-curve", "benchsite-submissions-72-percentile-curve-2026-11-22"),
        ("/scaling/?workload=ab", "scaling", "benchsite-scaling-2026-11-22"),
        ("/", "value", "benchsite-home-2026-11-22"),
        ('/value/?by=..%2F"x', "groups", "benchsite-value-by-x-2026-11-22"),
    ],
)
def test_a_picture_is_named_by_its_page_and_day(path, key, name):
    assert picture_name(path, key, DAY) == name
