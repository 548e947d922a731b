from decimal import Decimal

import pytest

from submissions.home.query import Totals, summary
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

    assert [(row.title, row.submissions) for row in summary(5).workloads] == [
        ("on two machines", 2),
        ("often on one machine", 3),
    ]
    assert len(summary(1).workloads) == 1


def test_totals_leave_out_the_retracted():
    SubmissionFactory(service="cassandra", provider="aws")
    SubmissionFactory(service="cassandra", provider="gce")
    SubmissionFactory(service="scylla", retracted_at="2020-01-01T00:00:00Z")

    assert summary(1).totals == Totals(submissions=2, services=1, providers=2)
