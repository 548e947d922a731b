"""A recommendation is what a plain scan of all rows finds: on the published results, and on invented ones."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest
from django.db import transaction
from django.utils import timezone

from benchsite.redis.cache import evictable_cache
from submissions.aggregates.check import all_workloads
from submissions.aggregates.store import refresh
from submissions.choices import PricingModel
from submissions.models import Submission
from submissions.pricing.book import book
from submissions.pricing.book.quotes import DatedPrice
from submissions.pricing.terms import PriceTerms
from submissions.questions.recommend.form import RecommendParams
from submissions.questions.recommend.query import RecommendResult, recommend_result
from submissions.questions.recommend.ranking.finalists import Kind
from submissions.questions.recommend.ranking.misses import distance
from submissions.questions.recommend.work import Work
from tests.public_pack import with_all_runs
from tests.submissions.questions.recommend.brute_force import Scan
from tools.synthetic.catalogue import CLOUDS
from tools.synthetic.copying import make_dataset

pytestmark = pytest.mark.django_db

QUESTIONS = 40  # of each set of results
INVENTED = 1_000
DISKS = {"gp3": "0.08", "pd-ssd": "0.17", "pd-balanced": "0.1", "local-ssd": "0.08"}
CHEAPER = {PricingModel.ON_DEMAND: "1", PricingModel.SPOT: "0.34", PricingModel.RESERVED_1Y: "0.63"}


def price_list() -> Iterator[DatedPrice]:
    """Of the invented machines and their disks, twice: prices rose in 2024. A few machines have none."""
    seen = timezone.now().date()
    for cloud in CLOUDS:
        for region, factor in cloud.regions:
            for day, rise in ((date(2016, 1, 1), "1"), (date(2024, 1, 1), "1.1")):
                for machine in cloud.machines[1:]:
                    for model, share in CHEAPER.items():
                        usd = Decimal(machine.usd or 0) * factor * Decimal(rise) * Decimal(share)
                        yield DatedPrice(
                            cloud.provider, region or "", machine.name, "hour", model, usd, day, "a list", seen
                        )
                for sku, usd in DISKS.items():
                    yield DatedPrice(
                        cloud.provider,
                        region or "",
                        sku,
                        "gib_month",
                        "on_demand",
                        Decimal(usd) * factor,
                        day,
                        "a list",
                        seen,
                    )


def with_invented() -> None:
    make_dataset(INVENTED, seed=5, processes=1)
    book.record(price_list())


@pytest.fixture(scope="module", params=[with_all_runs, with_invented])
def scan(request, django_db_setup, django_db_blocker) -> Iterator[Scan]:
    """Made once; taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        evictable_cache.clear()
        request.param()
        refresh(all_workloads())  # a reader leaves some of so many to the worker
        yield Scan()
        transaction.set_rollback(True)
    evictable_cache.clear()


def questions(scan: Scan, count: int, seed: int) -> Iterator[RecommendParams]:
    """About what there is, with limits near to it; every second one misses something."""
    random = Random(seed)
    today = timezone.now().date()
    for _ in range(count):
        load = random.choice(scan.loads)
        row = load.row
        given = lambda value, share=0.6, otherwise=None: value if random.random() < share else otherwise  # noqa: E731
        day = random.choice([today, today, today, today - timedelta(days=400)])
        basis = random.choice([PricingModel.ON_DEMAND] * 4 + [PricingModel.SPOT, PricingModel.RESERVED_1Y])
        yield RecommendParams(
            service=row.service,
            work=given(random.choice(list(Work)), 0.4),
            workload=given(row.workload.fingerprint, 0.1, ""),
            value_bytes=given(row.workload.canonical.get("value_bytes"), 0.1),
            target_ops_s=given(float(f"{load.rate * random.choice((0.3, 0.8, 1.0, 1.2, 3.0)):.2g}"), 0.8),
            data_gib=given(data_of(row, random), 0.4),
            max_p99_ms=given(float(f"{(load.p99 or 10.0) * random.choice((0.3, 0.9, 1.1, 4.0)):.2g}")),
            budget_usd_month=given(Decimal(random.choice((400, 1_500, 5_000, 20_000, 80_000)))),
            provider=given(row.provider, 0.2, ""),
            region=given(row.region or "", 0.1, ""),
            terms=PriceTerms(day, basis),
        )


def data_of(row: Submission, random: Random) -> float:
    """Near to that of the result, where it is known."""
    return float(f"{(row.data_bytes or 2**40) / 2**30 * random.choice((0.1, 1.0, 1.9, 2.1, 10.0)):.3g}")


def test_the_answers_are_those_of_a_plain_scan_of_all_rows(scan):
    answered = 0
    for params in questions(scan, QUESTIONS, seed=32):
        result = recommend_result(params)
        check(result, scan)
        answered += bool(result.answers)

    assert QUESTIONS / 5 < answered < QUESTIONS * 4 / 5


def check(result: RecommendResult, scan: Scan) -> None:
    params = result.params
    scanned = scan.nearest(params)
    assert (bool(result.answers), len(scanned)) == (bool(scan.able(params)), result.considered_count), params
    if cheapest := result.answer(Kind.CHEAPEST):
        assert float(cheapest.candidate.usd_per_month) == pytest.approx(scan.cheapest(params)), params
    else:
        assert scan.cheapest(params) is None, params
    fastest = result.answer(Kind.FASTEST)
    if fastest and not fastest.candidate.point.is_throttled:
        assert fastest.candidate.point.rate == scan.fastest(params), params
    if value := result.answer(Kind.BEST_VALUE):
        ratio = value.candidate.point.rate / float(value.candidate.usd_per_month)
        assert ratio == pytest.approx(scan.best_value(params)), params
    found = [(*distance(one, params), float(one.usd_per_month or "inf")) for one in result.considered[:30]]
    for own, expected in zip(found, scanned, strict=False):
        assert own == pytest.approx(expected), params
