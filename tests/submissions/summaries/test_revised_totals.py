"""A stored row that changes is taken out of the totals as it was counted, and added as it is; no other row is read."""

import random
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from submissions.choices import Flag, LatencyKind, Trust, Visibility
from submissions.models import GroupTotals, Submission, WorkloadTotals, settle
from submissions.summaries.recounts import expire_ended
from tests.factories import SubmissionFactory, WorkloadFactory
from tests.submissions.summaries.rows import random_row
from tests.submissions.summaries.test_totals import are_current, random_change, wrong

NO_FIGURES = {"published": 1, "ranked": 0, "priced": 0, "service_time": 0, "response_time": 0}


@pytest.fixture
def workload(db):
    return WorkloadFactory(title="a large one")


def is_counted_again(workload, act=settle):
    """Whether this counts all rows of the workload: then a group that has none is gone."""
    GroupTotals.objects.create(workload=workload, by="none", key="", trust=Trust.UPLOADED, **NO_FIGURES)
    act()
    return not GroupTotals.objects.filter(by="none").delete()[0]


@pytest.mark.parametrize("seed", range(2))
def test_totals_are_the_counts_after_changes_of_which_none_counts_a_workload(workload, seed):
    dice = random.Random(100 + seed)
    workloads = [workload, WorkloadFactory(title="another")]
    rows = [random_row(dice, workloads) for _ in range(25)]
    settle()
    for step in range(25):
        for row in dice.sample(rows, dice.choice((1, 1, 3))):
            random_change(dice, row, workloads)
        if dice.random() < 0.3:
            rows.append(random_row(dice, workloads))
        assert not is_counted_again(workload), f"step {step}"
        assert wrong() == [], f"step {step}"
    assert are_current()


CHANGES = {
    "title": "another", "service_version": "4.1", "region": "eu-west-1", "instance_type": "m5.4xlarge",
    "cpu_model": "another", "vcpus": 3, "disk_kind": "nvme", "node_count": 7, "cache_node_count": 2, "client_count": 4,
    "jdk_vendor": "azul", "jdk_version": "21", "network_kind": "private", "network_encryption": True,
    "load_mode": "fixed_rate", "threads": 77, "document": {"settings": {"a": 1}}, "provider": "gce",
    "trust": Trust.RUN_BY_US, "flags": [Flag.ERRORS], "latency_kind": LatencyKind.RESPONSE_TIME,
    "latency_p99_ms": 3.0, "latency_p99_at_most_ms": 3.0,
    "throughput_ops_s": 7.0, "ops_per_usd": Decimal(7), "measured_at": timezone.now(),
    "trials_count": 1, "averaged_over": 4, "visibility": Visibility.PRIVATE, "hidden_at": timezone.now(),
    "embargo_until": timezone.now() + timedelta(days=1), "retracted_at": timezone.now(),
    "unranked_at": timezone.now(), "unranked_until": timezone.now() + timedelta(days=1),
}  # fmt: skip


@pytest.mark.parametrize("direction", ["the best", "the worst"])
def test_a_change_of_any_column_is_seen(workload, direction):
    rates = sorted((5_000.0, 6_000.0, 9_000.0), reverse=direction == "the worst")
    figures = {"trust": Trust.LOG_VERIFIED, "latency_kind": LatencyKind.SERVICE_TIME, "hourly_usd": Decimal("1.5")}
    for rate in rates:
        row = SubmissionFactory(
            workload=workload, throughput_ops_s=rate, latency_p99_ms=1e5 / rate, trials_count=3, **figures
        )
    settle()
    assert wrong() == []
    for column, value in CHANGES.items():
        with transaction.atomic():
            Submission.objects.filter(pk=row.pk).update(**{column: value})
            assert not is_counted_again(workload), column
            assert wrong() == [], column
            transaction.set_rollback(True)


def test_a_correction_takes_the_place_of_what_it_corrects_and_gives_it_back(workload):
    first = SubmissionFactory(workload=workload)
    SubmissionFactory(workload=workload)
    settle()
    second = SubmissionFactory(workload=workload, supersedes=first)
    assert not is_counted_again(workload)
    assert (wrong(), WorkloadTotals.objects.get(workload=workload).published) == ([], 2)
    Submission.objects.filter(pk=second.pk).update(retracted_at=timezone.now())
    assert not is_counted_again(workload)
    assert (wrong(), WorkloadTotals.objects.get(workload=workload).published) == ([], 2)


def test_a_row_that_is_stored_and_changed_at_once_is_added_once(workload):
    SubmissionFactory(workload=workload)
    settle()
    row = SubmissionFactory(workload=workload)
    Submission.objects.filter(pk=row.pk).update(throughput_ops_s=1.0)
    SubmissionFactory(workload=workload, supersedes=row)
    assert not is_counted_again(workload)
    assert (wrong(), WorkloadTotals.objects.get(workload=workload).published) == ([], 2)


def test_after_changes_of_very_many_rows_the_workload_is_counted_again(workload):
    for _ in range(3):
        SubmissionFactory(workload=workload)
    settle()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('submissions.totals_noted', '499', true)")
    Submission.objects.update(retracted_at=timezone.now())
    assert is_counted_again(workload)
    assert (wrong(), WorkloadTotals.objects.get(workload=workload).published) == ([], 0)
    Submission.objects.update(retracted_at=None)
    assert not is_counted_again(workload), "the next ones are few"
    assert wrong() == []


def let_time_pass(hours):
    """Move all times into the past, without the triggers."""
    step = timedelta(hours=hours)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        for column in ("embargo_until", "unranked_until"):
            Submission.objects.update(**{column: F(column) - step})
        WorkloadTotals.objects.update(valid_until=F("valid_until") - step)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


@pytest.mark.parametrize("seed", range(2))
def test_embargoes_and_waits_that_end_change_the_totals_without_a_count(workload, seed):
    dice = random.Random(200 + seed)
    rows = [random_row(dice, [workload]) for _ in range(12)]
    for row in dice.sample(rows, 8):
        soon = timezone.now() + timedelta(hours=dice.choice((0.5, 1.5, 2.5, 4.5)), seconds=dice.random())
        column = dice.choice(("embargo_until", "unranked_until"))
        Submission.objects.filter(pk=row.pk).update(**{column: soon})
    SubmissionFactory(workload=workload, supersedes=rows[0], embargo_until=timezone.now() + timedelta(hours=3.5))
    settle()
    for hour in range(6):
        let_time_pass(1)
        if hour % 2:  # something happens before the totals are brought up to date
            SubmissionFactory(workload=workload, embargo_until=timezone.now() - timedelta(minutes=dice.choice((1, 90))))
            Submission.objects.filter(pk=dice.choice(rows).pk).update(throughput_ops_s=dice.uniform(1, 1e6))
        assert not is_counted_again(workload)
        assert not is_counted_again(workload, expire_ended)
        assert are_current()
        assert wrong() == [], f"hour {hour}"


@pytest.mark.django_db(transaction=True)
def test_two_transactions_that_change_what_a_row_counts_as_do_not_take_it_out_twice():
    workload = WorkloadFactory()
    first = SubmissionFactory(workload=workload)
    SubmissionFactory(workload=workload)
    noted, may_end = threading.Event(), threading.Event()

    def hide():
        try:
            with transaction.atomic():
                Submission.objects.filter(pk=first.pk).update(hidden_at=timezone.now())
                noted.set()
                may_end.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=hide)
    thread.start()
    assert noted.wait(30)
    SubmissionFactory(workload=workload, supersedes=first)  # has taken it out already
    assert wrong() == []
    may_end.set()
    thread.join(30)
    assert wrong() == []
    assert WorkloadTotals.objects.get(workload=workload).published == 2
    assert are_current()
