"""The best of others is that of all their results, and found in few rows."""

import random
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.choices import Flag, Trust
from submissions.ingest.checks.comparable_results import FEWEST, Best, stored_workloads
from submissions.models import Submission
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

MANY = 150  # so many rows that reading all of them shows
FEW = 30


@pytest.fixture
def workload():
    return WorkloadFactory()


@pytest.fixture
def accounts():
    """In the order of their ids, which is that of the index."""
    return sorted(UserFactory.create_batch(3), key=lambda account: account.pk)


def add(workload, account, rate, *, count=1, trust=Trust.UPLOADED, value=Decimal(1000), flags=()):
    made = [
        SubmissionFactory.build(
            workload=workload, submitted_by=account, trust=trust, throughput_ops_s=rate, ops_per_usd=value, flags=flags
        )
        for _ in range(count)
    ]
    return Submission.objects.bulk_create(made)


def best_of(workload, account):
    return stored_workloads([workload.fingerprint], account and account.pk)[workload.fingerprint].best


def test_of_many_results_of_others_few_are_read(workload, accounts):
    add(workload, accounts[0], 50_000, count=MANY, trust=Trust.LOG_VERIFIED)
    add(workload, accounts[1], 40_000, count=MANY)

    assert rows_read(workload, accounts[2]) < FEW


def test_uploads_without_a_log_are_not_read_to_find_those_with_one(workload, accounts):
    add(workload, accounts[0], 50_000, count=MANY)
    add(workload, accounts[2], 40_000, count=FEWEST, trust=Trust.LOG_VERIFIED)

    assert best_of(workload, accounts[1]).ops_s == 40_000
    assert rows_read(workload, accounts[1]) < FEW


def test_a_workload_that_nobody_has_sent_is_not_found(workload):
    assert list(stored_workloads([workload.fingerprint, "0" * 64], None)) == [workload.fingerprint]


def rows_read(workload, account):
    """Of submissions, by a plan that is made once, as at a site with many."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_submission")
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")  # cheaper for as few rows as here
    with CaptureQueriesContext(connection) as queries:
        stored_workloads([workload.fingerprint], account.pk)
    with connection.cursor() as cursor:
        cursor.execute(f"PREPARE look (text[], integer) AS {queries[0]['sql']}")
        look = f"EXECUTE look (ARRAY['{workload.fingerprint}'], {account.pk})"
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {look}")
        (plan,) = cursor.fetchone()
        cursor.execute("DEALLOCATE look")
    return sum(_rows_of(plan))


def _rows_of(node):
    if isinstance(node, list):
        for each in node:
            yield from _rows_of(each)
    elif isinstance(node, dict):
        if node.get("Relation Name") == "submissions_submission":
            yield node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0)
        for value in node.values():
            yield from _rows_of(value)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_is_that_of_all_results_of_others(workload, accounts, seed):
    """Compared with all rows, read one by one."""
    chance = random.Random(seed)
    known = []
    for _ in range(chance.randint(0, 14)):
        account, trust = chance.choice([*accounts, None]), chance.choice([Trust.UPLOADED, Trust.LOG_VERIFIED])
        rate, value = chance.choice([10.0, 100.0, 1_000.0]), Decimal(chance.choice([1, 20, 300]))
        flags = chance.choice([[], [], [], [Flag.STATED_PRICE_OFF], [Flag.ERRORS]])
        add(workload, account, rate, trust=trust, value=value, flags=flags)
        known.append((account, trust, rate, value, flags))
    for account in accounts:
        best = expected(known, account)

        assert best_of(workload, account) == best


def expected(known, account):
    others = [row for row in known if row[0] != account and Flag.ERRORS not in row[4]]
    traced = [row for row in others if row[1] != Trust.UPLOADED]
    for rows in (traced, others):
        if len(rows) >= FEWEST:
            values = (row[3] for row in rows if Flag.STATED_PRICE_OFF not in row[4])
            return Best(max(row[2] for row in rows), max(values, default=None))
    return Best()
