"""Whether a rate is plausible is known from few rows, however many results its workload and its account have."""

import json
import random
from decimal import Decimal

import pytest
from django.db import connection

from submissions.choices import Flag, Trust
from submissions.ingest.rivals import FEWEST_KNOWN, Best, best_of, is_plausible, rivals_of
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


def is_plausible_of(workload, account, rate, value=None):
    asked = "(SELECT %s::bigint AS workload, %s::integer AS account, %s::float8 AS rate, %s::numeric AS value) asked"
    places = {name: f"asked.{name}" for name in ("workload", "account", "rate", "value")}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {is_plausible(**places)} FROM {asked}", [workload.pk, account.pk, rate, value])
        return cursor.fetchone()[0]


@pytest.mark.parametrize("own", [0, 1, 2])
def test_an_account_with_most_of_a_workload_does_not_read_its_own(workload, accounts, own):
    account = accounts.pop(own)
    add(workload, account, 50_000, count=MANY)
    for other in accounts:
        add(workload, other, 50_000, count=2)

    assert rows_read(workload, account, rate=40_000.0) < FEW


def test_an_account_that_is_alone_in_its_workload_does_not_read_its_own(workload, accounts):
    add(workload, accounts[1], 50_000, count=MANY)

    assert is_plausible_of(workload, accounts[1], 9e9)
    assert rows_read(workload, accounts[1], rate=9e9) < FEW


def test_uploads_without_a_log_are_not_read_to_find_one_with_a_log(workload, accounts):
    add(workload, accounts[0], 50_000, count=MANY)
    add(workload, accounts[2], 50_000, count=FEWEST_KNOWN, trust=Trust.LOG_VERIFIED)

    assert rows_read(workload, accounts[1], rate=40_000.0) < FEW


def rows_read(workload, account, rate):
    """Of submissions, by a plan that is made once, as at a site with many."""
    asked = "(SELECT $1::bigint AS workload, $2::integer AS account, $3::float8 AS rate, NULL::numeric AS value) asked"
    places = {name: f"asked.{name}" for name in ("workload", "account", "rate", "value")}
    condition = is_plausible(**places).replace("%%", "%")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE submissions_submission")
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"PREPARE look (bigint, integer, float8) AS SELECT {condition} FROM {asked}")
        look = f"EXECUTE look ({workload.pk}, {account.pk}, {rate})"
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {look}")
        plan = cursor.fetchone()[0]
        cursor.execute("DEALLOCATE look")
    return sum(_rows_of(plan if isinstance(plan, list) else json.loads(plan)))


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
def test_the_bar_is_that_of_all_results_of_others(workload, accounts, seed):
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

        assert best_of({workload.fingerprint}, account.pk) == {workload.fingerprint: best}
        for rate in (5.0, 50.0, 500.0, 5_000.0):
            for value in (None, Decimal(2), Decimal(200)):
                plausible = (best.ops_s is None or rate <= best.ops_s) and (
                    value is None or best.ops_per_usd is None or value <= best.ops_per_usd
                )
                if best.ops_s is not None and best.ops_per_usd is None and value is not None:
                    continue  # a value with nothing to compare is looked at one by one
                assert is_plausible_of(workload, account, rate, value) == plausible
                rivals = rivals_of({workload.fingerprint: (rate, value or Decimal(0))}, account.pk)
                assert (workload.fingerprint in rivals) == plausible


def expected(known, account):
    others = [row for row in known if row[0] != account and Flag.ERRORS not in row[4]]
    traced = [row for row in others if row[1] != Trust.UPLOADED]
    for rows in (traced, others):
        if len(rows) >= FEWEST_KNOWN:
            values = (row[3] for row in rows if Flag.STATED_PRICE_OFF not in row[4])
            return Best(max(row[2] for row in rows), max(values, default=None))
    return Best()
