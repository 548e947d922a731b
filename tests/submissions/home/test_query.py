"""The first page's ranking of instance types by value."""

from decimal import Decimal

import pytest

from submissions.home.query import Totals, home_result, summary, value_of
from submissions.pricing.terms import PriceTerms
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


def priced(hourly_usd, throughput, **fields):
    return SubmissionFactory(hourly_usd=Decimal(str(hourly_usd)), throughput_ops_s=float(throughput), **fields)


def best_value(row):
    """Of the row's workload, as the results were stored."""
    workloads = {one.pk: one for one in summary(5).workloads}
    return value_of(workloads[row.workload_id], PriceTerms()) if row.workload_id in workloads else None


def names(result):
    return [(one.group.name, one.entry.rank) for one in result.ranked]


def test_the_best_value_and_the_next_best_machine_are_of_one_workload():
    write = WorkloadFactory(title="writes")
    priced("1.596", 90748, workload=write, instance_type="m3.2xlarge")
    gce = priced("0.912", 111394, workload=write, provider="gce", instance_type="n1-standard-8")
    priced("0.912", 109583, workload=write, provider="gce", instance_type="n1-standard-8")
    priced("0.10", 900000, workload=WorkloadFactory(title="reads"))

    lead = best_value(gce)

    assert lead.groups[0].best == gce
    assert names(lead) == [("Google Cloud n1-standard-8", "1"), ("AWS m3.2xlarge", "2")]
    assert lead.ranking[1].ratio == pytest.approx(1 / 2.1481, rel=1e-4)


def test_a_single_machine_is_the_whole_ranking():
    only = priced(1, 100)

    lead = best_value(only)

    assert (lead.groups[0].best, names(lead)) == (only, [("AWS m3.2xlarge", "1")])


@pytest.mark.parametrize("flag", ["rate_mismatch", "littles_law", "errors", "truncated", "incomplete"])
def test_an_unreliable_rate_is_no_best_value(flag):
    doubtful = priced(1, 1000, flags=[flag])
    reliable = priced(1, 100, flags=["short", "mixed_cpus"])

    assert best_value(doubtful).groups[0].best == reliable


def test_nothing_priced_is_no_best_value():
    row = SubmissionFactory(hourly_usd=None)
    SubmissionFactory(throughput_ops_s=None, relative_throughput=0.8, hourly_usd=Decimal(1))

    assert best_value(row) is None
    assert summary(5).workloads == ()


def test_the_headline_is_the_workload_with_most_machines_to_compare():
    one_machine = WorkloadFactory(title="often on one machine")
    for _ in range(3):
        priced(1, 100, workload=one_machine)
    two_machines = WorkloadFactory(title="on two machines")
    for name in ("a", "b"):
        priced(1, 100, workload=two_machines, instance_type=name)

    assert [(row.title, row.submissions) for row in summary(5).workloads] == [
        ("on two machines", 2),
        ("often on one machine", 3),
    ]
    assert len(summary(1).workloads) == 1


def test_an_article_is_no_headline_where_something_has_a_raw_log():
    article = WorkloadFactory(title="of an article")
    for name in ("a", "b", "c"):
        priced(1, 100, workload=article, instance_type=name, trust="historical")
    assert home_result("").workload.title == "of an article"

    logs = WorkloadFactory(title="with raw logs")
    priced(1, 100, workload=logs, trust="log_verified")

    assert home_result("").workload.title == "with raw logs"
    assert home_result(article.fingerprint).workload.title == "of an article"


def test_totals_leave_out_the_retracted():
    SubmissionFactory(service="cassandra", provider="aws")
    SubmissionFactory(service="cassandra", provider="gce")
    SubmissionFactory(service="scylla", retracted_at="2020-01-01T00:00:00Z")

    assert summary(1).totals == Totals(submissions=2, services=1, providers=2, measured_here=frozenset())
