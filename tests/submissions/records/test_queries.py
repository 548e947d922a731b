"""Questions that several pages ask."""

from decimal import Decimal

import pytest

from submissions.records import queries
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db


def priced(hourly_usd, throughput, **fields):
    return SubmissionFactory(hourly_usd=Decimal(str(hourly_usd)), throughput_ops_s=float(throughput), **fields)


def test_the_headline_is_the_workload_with_most_machines_to_compare():
    one_machine = WorkloadFactory(title="often on one machine")
    for _ in range(3):
        priced(1, 100, workload=one_machine)
    two_machines = WorkloadFactory(title="on two machines")
    for name in ("a", "b"):
        priced(1, 100, workload=two_machines, instance_type=name)

    assert [(row.title, row.submissions) for row in queries.summary(5).workloads] == [
        ("on two machines", 2),
        ("often on one machine", 3),
    ]
    assert len(queries.summary(1).workloads) == 1


def test_the_front_of_the_database_is_that_of_the_analysis():
    rows = [
        priced(cost, rate)
        for cost, rate in ((1, 100), (1, 90), (2, 100), (2, 150), (3, 140), (4, 400), (5, 400), (6, 401))
    ]
    all_rows = queries.comparable(rows[0].workload_id)

    front = [(int(row.hourly_usd), row.throughput_ops_s) for row in queries.pareto_rows(all_rows)]

    assert front == [(1, 100.0), (2, 150.0), (4, 400.0), (6, 401.0)]
    assert queries.front_of(list(all_rows)) == list(queries.pareto_rows(all_rows))


def test_a_chart_keeps_the_whole_front_when_it_is_cut():
    for cost, rate in ((1, 1000), (1.1, 1050), (50, 2000), (60, 1500)):
        priced(cost, rate)
    rows = queries.value_rows(queries.listed().priced(), limit=1)

    assert sorted(row.throughput_ops_s for row in rows) == [1000.0, 1050.0, 2000.0]


def test_services_are_summed_up_without_the_retracted():
    SubmissionFactory(service="cassandra", provider="aws")
    SubmissionFactory(service="cassandra", provider="gce")
    SubmissionFactory(service="postgresql", measured_at=None)
    SubmissionFactory(service="scylla", retracted_at="2020-01-01T00:00:00Z")

    found = queries.service_summaries()

    assert [(row.name, row.submissions, row.workloads, row.providers) for row in found] == [
        ("cassandra", 2, 1, 2),
        ("postgresql", 1, 1, 1),
    ]
    assert found[1].newest is None


def test_each_workload_of_a_service_has_its_own_best():
    write, read = WorkloadFactory(title="writes"), WorkloadFactory(title="reads")
    best_write = priced(1, 500, workload=write)
    priced(1, 400, workload=write)
    SubmissionFactory(workload=read, hourly_usd=None)

    found = queries.workload_summaries(queries.service_counts("cassandra").workloads)

    assert [(row.workload, row.submissions, row.best) for row in found] == [
        (write, 2, best_write),
        (read, 1, None),
    ]


def test_versions_are_counted_and_unknown_is_one_of_them():
    for version in ("5.0.2", "5.0.2", None):
        SubmissionFactory(service_version=version)

    assert queries.service_counts("cassandra").versions == (("5.0.2", 2), (None, 1))
    assert queries.service_counts("nothing").submissions == 0


def test_totals_leave_out_the_retracted():
    SubmissionFactory(service="cassandra", provider="aws")
    SubmissionFactory(service="cassandra", provider="gce")
    SubmissionFactory(service="scylla", retracted_at="2020-01-01T00:00:00Z")

    assert queries.summary(1).totals == queries.Overview(submissions=2, services=1, providers=2)
