"""Ages on the board of value: who is left out, and the rank at today's prices."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from benchsite.redis.cache import evictable_cache
from submissions.choices import AgeMark, PricingModel
from submissions.models import Price
from submissions.pricing.terms import PriceTerms
from submissions.questions.boards.grouping import GroupBy
from submissions.questions.boards.reasons import Reason
from submissions.questions.value.query import value_of, value_offer, with_ages
from submissions.questions.value.valuation import ValueParams
from submissions.records.age_filter import Exclusion
from tests.factories import PriceFactory, SubmissionFactory, WorkloadFactory
from tests.pages import text

pytestmark = pytest.mark.django_db

THEN = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def today():
    return timezone.now().date()


@pytest.fixture
def board(today):
    """Three types at 1 USD a node; the best one costs ten times as much today. And an old, unsupported result."""
    workload = WorkloadFactory(title="w", fingerprint="ab" * 8)
    facts = {"workload": workload, "measured_at": THEN, "hourly_usd": Decimal(3), "service_version": "5.0.2"}
    for rate, machine in ((300_000.0, "m3.2xlarge"), (200_000.0, "m5d.2xlarge"), (100_000.0, "m6id.xlarge")):
        SubmissionFactory(**facts, throughput_ops_s=rate, instance_type=machine)
        PriceFactory(sku=machine, usd=Decimal(1), valid_from=THEN.date() - timedelta(days=1), last_seen=today)
    PriceFactory(usd=Decimal(10), valid_from=today - timedelta(days=2), last_seen=today)
    old = {**facts, "measured_at": datetime(2015, 9, 1, tzinfo=UTC), "service_version": "2.1.8"}
    SubmissionFactory(**old, throughput_ops_s=10_000.0, instance_type="m7g.large")
    return workload


def answer(today, **params):
    params = ValueParams("ab" * 8, GroupBy.INSTANCE_TYPE, **params)
    return with_ages(value_of(params, value_offer(params)), today)


def ranks(result):
    return {one.group.best.instance_type: one.entry.rank for one in result.ranked if one.entry}


def test_a_row_that_keeps_its_rank_does_not_say_which_it_would_have(client, board):
    page = text(client.get("/value/", {"by": "instance_type", "workload": board.fingerprint, "prices": "then"}))
    assert "would rank 3rd at today’s prices" in page

    Price.objects.filter(sku="m3.2xlarge").update(usd=Decimal("1.03"))
    evictable_cache.clear()
    page = text(client.get("/value/", {"by": "instance_type", "workload": board.fingerprint, "prices": "then"}))
    assert "price +3 %" in page
    assert "would rank" not in page


def test_a_drifted_group_has_the_rank_of_the_board_of_today(board, today):
    result = answer(today)
    at_todays_prices = answer(today, terms=PriceTerms(today))

    [best] = [one for one in result.ranked if one.group.best.instance_type == "m3.2xlarge"]
    assert best.age.marks == (AgeMark.PRICE_DRIFT,)
    assert best.rank_today == ranks(at_todays_prices)["m3.2xlarge"] != best.entry.rank
    assert [one.rank_today for one in result.ranked if one is not best and one.group != best.group] == [None] * 3


def test_at_todays_prices_nothing_would_rank_otherwise(board, today):
    assert set(answer(today, terms=PriceTerms(today, PricingModel.ON_DEMAND)).ranks_today) == set()


@pytest.mark.parametrize("mark", [*AgeMark.MARKS, AgeMark.MARKED])
@pytest.mark.parametrize("max_p99_ms", [None, 100.0])
@pytest.mark.parametrize("is_today", [False, True])
def test_what_is_left_out_is_what_has_the_mark_and_is_counted(board, today, mark, max_p99_ms, is_today):
    terms = PriceTerms(today) if is_today else PriceTerms()
    every = answer(today, max_p99_ms=max_p99_ms, terms=terms)
    result = answer(today, left_out=Exclusion(mark, today), max_p99_ms=max_p99_ms, terms=terms)

    def has(one):
        marks = set(one.age.marks)
        return bool(marks - {AgeMark.PRICE_DRIFT}) if mark == AgeMark.MARKED else mark in marks

    left = {one.group.best.pk for one in every.ranked if not has(one)}
    assert {one.group.best.pk for one in result.ranked} == left
    assert {row.pk for row in result.systems.shown} == left
    if not is_today:
        assert result.counts.excluded[Reason.AGED] == len(every.ranked) - len(left)


def test_the_page_and_the_api_say_it(client, board):
    page = client.get(f"/value/?workload={board.fingerprint}&by=instance_type&prices=then&basis=as_measured")
    groups = client.get(
        f"/api/v1/value/?workload={board.fingerprint}&by=instance_type&prices=then&basis=as_measured"
    ).json()["groups"]

    assert "at today’s prices" in text(page)
    assert "price +900 %" in text(page)
    assert groups[0]["age_marks"] == "price_drift"
    assert groups[0]["rank_today"] is not None
    assert groups[-1]["age_marks"] == "old_result,version_eol"
    left = client.get(
        f"/api/v1/value/?workload={board.fingerprint}&by=instance_type&prices=then&basis=as_measured&exclude_age=marked"
    ).json()
    assert [group["instance_type"] for group in left["groups"]] == ["m3.2xlarge", "m5d.2xlarge", "m6id.xlarge"]
    assert client.get(f"/value/?workload={board.fingerprint}&exclude_age=old").status_code == 400
