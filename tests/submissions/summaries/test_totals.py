"""The totals of workloads equal plain counts, whatever is added or changed, in whatever order transactions end."""

import random
import threading
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.utils import timezone

from submissions.choices import Flag, PricingModel, Trust, Visibility
from submissions.models import NodeGroup, Submission, Trial, WorkloadTotals, recount, settle
from submissions.summaries.check import all_workloads, differences
from submissions.summaries.recounts import recount_ended
from tests.factories import NodeGroupFactory, SubmissionFactory, TrialFactory, WorkloadFactory
from tests.submissions.summaries.rows import random_row


def wrong():
    return [line for workload in all_workloads() for line in differences(workload)]


def are_current():
    return WorkloadTotals.objects.current().count() == WorkloadTotals.objects.count() > 0


@pytest.fixture
def workloads(db):
    return [WorkloadFactory(title=f"workload {number}") for number in range(3)]


def random_change(dice, row, workloads):
    """What retractions, decisions, corrections, new prices and owners do."""
    rows = Submission.objects.filter(pk=row.pk)
    now = timezone.now()
    change = dice.choice(
        (
            {"retracted_at": now},
            {"hidden_at": now},
            {"hidden_at": None, "unranked_at": None},
            {"unranked_at": now},
            {"unranked_until": None},
            {"visibility": Visibility.PRIVATE},
            {"visibility": Visibility.PUBLIC, "embargo_until": None},
            {"embargo_until": now + timedelta(days=2)},
            {"trust": Trust.REPRODUCED, "own_trust": row.trust},
            {"trust": Trust.UPLOADED},
            {"ops_per_usd": Decimal("123.4")},
            {"ops_per_usd": None, "hourly_usd": None},
            {"flags": []},
            {"flags": [Flag.STATED_PRICE_OFF]},
            {"jdk_vendor": "azul"},
            {"workload": dice.choice(workloads)},
            {"supersedes": Submission.objects.exclude(pk=row.pk).order_by("?").first()},
        )
    )
    rows.update(**change)


@pytest.mark.parametrize("seed", range(2))
def test_totals_are_the_counts_of_the_rows_after_anything(workloads, seed):
    dice = random.Random(seed)
    rows = []
    for step in range(30):
        if not rows or dice.random() < 0.6:
            rows.append(random_row(dice, workloads))
        elif dice.random() < 0.8:
            random_change(dice, dice.choice(rows), workloads)
        elif dice.random() < 0.5:
            row = dice.choice(rows)
            Trial.objects.filter(submission=row, index=0).update(throughput_ops_s=dice.uniform(1, 1e6))
            NodeGroup.objects.filter(submission=row).update(pricing_model=dice.choice(list(PricingModel)))
        else:
            row = rows.pop(dice.randrange(len(rows)))
            Submission.objects.filter(supersedes=row).update(supersedes=None)
            row.trials.all().delete()
            row.delete()
        if step % 5 == 0:
            settle()
            assert wrong() == [], f"step {step}"
            assert are_current()
    settle()
    assert wrong() == []
    recount(all_workloads())
    assert wrong() == []


def test_many_rows_of_one_statement_are_added_as_one_by_one(workloads):
    dice = random.Random(7)
    templates = [random_row(dice, workloads) for _ in range(20)]
    settle()
    copies = Submission.objects.filter(pk__in=[row.pk for row in templates]).order_by("pk")
    new = []
    for number, row in enumerate(copies):
        row.pk, row.content_hash = None, f"{number:064}"
        new.append(row)
    Submission.objects.bulk_create(new)
    Trial.objects.bulk_create([TrialFactory.build(submission=row, index=0) for row in new])
    NodeGroup.objects.bulk_create([NodeGroupFactory.build(submission=row) for row in new])
    recounts = set(WorkloadTotals.objects.values_list("recounts", flat=True))
    settle()
    assert wrong() == []
    assert set(WorkloadTotals.objects.values_list("recounts", flat=True)) == recounts, (
        "they are added, not counted again"
    )


def test_changes_of_the_open_transaction_send_readers_to_the_rows(workloads):
    SubmissionFactory(workload=workloads[0])
    settle()
    assert WorkloadTotals.objects.current().exists()
    SubmissionFactory(workload=workloads[1])
    assert not WorkloadTotals.objects.current().exists()
    settle()
    assert WorkloadTotals.objects.current().exists()


def test_a_savepoint_that_is_rolled_back_leaves_nothing(workloads):
    SubmissionFactory(workload=workloads[0])
    with transaction.atomic():
        SubmissionFactory(workload=workloads[0])
        transaction.set_rollback(True)
    settle()
    assert WorkloadTotals.objects.get(workload=workloads[0]).published == 1
    assert wrong() == []


def test_totals_are_read_until_the_first_time_that_changes_them(workloads):
    soon = timezone.now() + timedelta(hours=1)
    SubmissionFactory(workload=workloads[0], visibility=Visibility.PRIVATE, embargo_until=soon)
    SubmissionFactory(workload=workloads[1], unranked_until=soon)
    older = SubmissionFactory(workload=workloads[2])
    SubmissionFactory(workload=workloads[0], supersedes=older, visibility=Visibility.PRIVATE, embargo_until=soon)
    settle()
    assert set(WorkloadTotals.objects.values_list("valid_until", flat=True)) == {soon}
    assert are_current()
    WorkloadTotals.objects.update(valid_until=timezone.now() - timedelta(hours=1))
    assert not WorkloadTotals.objects.current().exists()
    recount_ended()
    assert set(WorkloadTotals.objects.values_list("valid_until", flat=True)) == {soon}
    assert wrong() == []


def test_each_flag_excludes_as_the_code_says(workloads):
    for flag in Flag:
        SubmissionFactory(workload=workloads[0], flags=[flag])
    settle()
    assert wrong() == []


@pytest.mark.django_db(transaction=True)
def test_transactions_that_end_in_reverse_order_are_all_counted():
    workload = WorkloadFactory()
    row = SubmissionFactory(workload=workload)
    stored, may_end = threading.Event(), threading.Event()

    def first_to_begin():
        try:
            with transaction.atomic():
                SubmissionFactory(workload=workload, trials_count=3)
                stored.set()
                may_end.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=first_to_begin)
    thread.start()
    assert stored.wait(30)
    SubmissionFactory(workload=workload)  # a later number, committed before
    Submission.objects.filter(pk=row.pk).update(retracted_at=timezone.now())  # counted without the open one
    assert wrong() == []
    may_end.set()
    thread.join(30)
    assert wrong() == []
    assert WorkloadTotals.objects.get(workload=workload).published == 2


@pytest.mark.django_db(transaction=True)
def test_transactions_of_the_same_workloads_in_any_order_do_not_wait_for_each_other_for_ever():
    workloads = [WorkloadFactory(title=f"workload {number}") for number in range(4)]
    rows = [SubmissionFactory(workload=workload) for workload in workloads]
    failures = []

    def work(seed):
        dice = random.Random(seed)
        try:
            for _ in range(6):
                with transaction.atomic():
                    for workload in dice.sample(workloads, 3):
                        SubmissionFactory(workload=workload, submitted_by=None)
                    if dice.random() < 0.5:
                        Submission.objects.filter(pk=dice.choice(rows).pk).update(flags=[dice.choice(list(Flag))])
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert wrong() == []
    assert sum(WorkloadTotals.objects.values_list("published", flat=True)) == 4 + 4 * 6 * 3
