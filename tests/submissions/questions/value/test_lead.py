"""The machine that gives the most for the money, and whether noise allows to say so."""

from decimal import Decimal

import pytest

from submissions.home.query import summary
from submissions.questions.value.lead import value_lead
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.measured import measured

pytestmark = pytest.mark.django_db


def priced(hourly_usd, throughput, **fields):
    return SubmissionFactory(hourly_usd=Decimal(str(hourly_usd)), throughput_ops_s=float(throughput), **fields)


def test_the_best_value_and_the_next_best_machine_are_of_one_workload():
    write = WorkloadFactory(title="writes")
    aws = priced("1.596", 90748, workload=write, instance_type="m3.2xlarge")
    gce = priced("0.912", 111394, workload=write, provider="gce", instance_type="n1-standard-8")
    priced("0.912", 109583, workload=write, provider="gce", instance_type="n1-standard-8")
    priced("0.10", 900000, workload=WorkloadFactory(title="reads"))

    found = value_lead(write.pk)

    assert (found.best, found.next_best, found.tied, found.is_unsure) == (gce, aws, (), True)
    assert round(found.ratio, 4) == Decimal("2.1481")


def test_a_single_machine_has_no_next_best():
    only = priced(1, 100)

    found = value_lead(only.workload_id)

    assert (found.best, found.next_best, found.ratio, found.tied, found.is_unsure) == (only, None, None, (), False)


def test_a_few_of_those_within_noise_are_named_and_the_others_counted():
    rows = [measured(1000.0 - n, 1010.0 - n, 990.0 - n, instance_type=f"t{n}") for n in range(5)]

    found = value_lead(rows[0].workload_id)

    assert (found.best, found.tied, found.tied_more) == (rows[0], (rows[1], rows[2]), 2)


@pytest.mark.parametrize("flag", ["rate_mismatch", "littles_law", "errors", "truncated", "incomplete"])
def test_a_rate_in_doubt_is_no_best_value(flag):
    doubtful = priced(1, 1000, flags=[flag])
    sound = priced(1, 100, flags=["short", "mixed_cpus"])

    assert value_lead(doubtful.workload_id).best == sound


def test_nothing_priced_is_no_best_value():
    row = SubmissionFactory(hourly_usd=None)
    SubmissionFactory(throughput_ops_s=None, relative_throughput=0.8, hourly_usd=Decimal(1))

    assert value_lead(row.workload_id) is None
    assert summary(5).workloads == ()


@pytest.mark.parametrize("count", [1, 3])
def test_the_lead_costs_eight_queries_and_two_while_it_is_kept(count, django_assert_num_queries):
    for number in range(count):
        row = priced(1, 100 + number, instance_type=f"t{number}")

    with django_assert_num_queries(8):
        value_lead(row.workload_id)
    with django_assert_num_queries(2):
        value_lead(row.workload_id)
