"""Rates and stated prices that nothing known comes near are flagged when they are stored."""

import pytest
from django.utils import timezone

from submissions.choices import Flag, Trust
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store, store_all
from submissions.models import Submission
from tests.documents import document
from tests.factories import VerifiedUserFactory

pytestmark = pytest.mark.django_db

PLAIN = {"trials/0/operations": None, "trials/0/duration_s": None}  # nothing else to flag
RATE = Flag.RATE_IMPLAUSIBLE
PRICE = Flag.STATED_PRICE_OFF


def stored(rate, *, user=None, trust=Trust.LOG_VERIFIED, usd="0.532", **changes):
    made = document({"trials/0/throughput_ops_s": rate, **PLAIN, "nodes/0/hourly_usd": usd, **changes})
    return store(prepare_document(made, trust=trust), submitted_by=user or VerifiedUserFactory()).submission


@pytest.fixture
def known():
    """Three results of others, the best of 100,000 ops/s."""
    return [stored(rate) for rate in (90_000, 95_000, 100_000)]


@pytest.mark.parametrize(("rate", "expected"), [(999_000, []), (1_001_000, [RATE])])
def test_a_rate_over_ten_times_the_best_is_flagged(known, rate, expected):
    assert stored(rate, usd="5").flags == expected


def test_fewer_than_three_others_are_no_measure():
    stored(90_000)
    stored(95_000)

    assert stored(5_000_000, usd="20").flags == []


def test_what_no_node_does_is_flagged_without_any_other():
    assert stored(300_000_001, usd="900").flags == [RATE]


def test_own_results_and_uploads_without_a_log_raise_no_bar(known):
    user = VerifiedUserFactory()
    stored(900_000, user=user, usd="5")
    stored(990_000, trust=Trust.UPLOADED, usd="5")

    assert stored(2_000_000, user=user, usd="5").flags == [RATE]


@pytest.mark.parametrize("trust", [Trust.HISTORICAL, Trust.RUN_BY_US])
def test_what_this_site_measured_or_an_article_says_needs_no_moderator(known, trust):
    assert stored(2_000_000, trust=trust, usd="5").flags == []


@pytest.mark.parametrize(("usd", "expected"), [("0.06", []), ("0.05", [PRICE]), ("0.0009", [PRICE])])
def test_a_stated_price_that_makes_the_value_absurd_is_flagged(known, usd, expected):
    assert stored(100_000, usd=usd, title="as good as the best").flags == expected


def test_each_of_a_batch_is_judged_for_itself(known):
    rates = (1_000, 2_000, 2_000_000)
    batch = [prepare_document(document({"trials/0/throughput_ops_s": rate, **PLAIN})) for rate in rates]

    stored_batch = store_all(batch, submitted_by=VerifiedUserFactory())

    assert [one.submission.flags for one in stored_batch] == [[], [], [RATE, PRICE]]


def test_a_best_result_that_is_retracted_counts_no_more(known):
    user = VerifiedUserFactory()
    stored(80_000)
    assert stored(999_000, user=user, usd="5").flags == []

    Submission.objects.filter(pk=known[2].pk).update(retracted_at=timezone.now())

    assert stored(999_000, user=user, usd="5", title="again", settings={"n": "2"}).flags == [RATE]


def test_own_results_of_another_account_are_its_own(known):
    first, second = VerifiedUserFactory(), VerifiedUserFactory()
    stored(999_000, user=first, usd="5")

    assert stored(9_000_000, user=first, usd="50").flags == [RATE]
    assert stored(9_000_000, user=second, usd="50", settings={"n": "2"}).flags == []


def test_where_nobody_has_sent_a_log_uploads_of_others_are_the_measure():
    for rate in (90_000, 95_000, 100_000):
        stored(rate, trust=Trust.UPLOADED)

    assert stored(1_001_000, trust=Trust.UPLOADED, usd="5").flags == [RATE]
    assert stored(999_000, trust=Trust.UPLOADED, usd="5").flags == []
