"""Trust that rises when another account measures the same, and falls back when one of the two is retracted."""

import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from submissions.choices import Trust
from submissions.ingest.changes.retract import retract
from submissions.ingest.checks import reproduced_trust
from submissions.ingest.checks.reproduced_trust import agreeing_accounts, look_again, reproduced_by
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store, store_all
from submissions.models import Reproduction, Submission
from tests.documents import document
from tests.factories import UserFactory, VerifiedUserFactory

pytestmark = pytest.mark.django_db

OURS = (90_000.0, 92_000.0, 91_000.0)
THEIRS = (91_500.0, 90_500.0, 89_500.0)
OTHERS = (60_000.0, 61_000.0, 62_000.0)


def prepared(rates, trust=Trust.LOG_VERIFIED, **changes):
    trials = [{"throughput_ops_s": rate, "latency_kind": "unknown"} for rate in rates]
    return prepare_document(document({"trials": trials, **changes}), trust=trust)


def stored(rates, user, trust=Trust.LOG_VERIFIED, **changes):
    return store(prepared(rates, trust, **changes), submitted_by=user).submission


def trusts():
    return list(Submission.objects.order_by("pk").values_list("trust", "own_trust"))


@pytest.fixture
def users():
    return VerifiedUserFactory(), VerifiedUserFactory()


def test_two_accounts_that_agree_both_rise(users):
    first = stored(OURS, users[0])
    second = stored(THEIRS, users[1], Trust.RUN_BY_US)

    assert trusts() == [("reproduced", "log_verified"), ("reproduced", "run_by_us")]
    assert (second.trust, second.own_trust) == ("reproduced", "run_by_us")  # the answer of the API has it too
    assert (reproduced_by(first), reproduced_by(second)) == ([second.pk], [first.pk])


def test_the_same_account_reproduces_nothing(users):
    stored(OURS, users[0])
    stored(THEIRS, users[0], Trust.RUN_BY_US)

    assert trusts() == [("log_verified", None), ("run_by_us", None)]


def test_what_an_account_measured_since_does_not_hide_the_other(users, monkeypatch):
    monkeypatch.setattr(reproduced_trust, "MOST_CANDIDATES", 2)
    first = stored(OURS, users[0])
    for number in range(3):
        stored(OTHERS, users[1], settings={"night": str(number)})

    assert reproduced_by(stored(THEIRS, users[1])) == [first.pk]


@pytest.mark.parametrize(
    ("rates", "trust", "changes"),
    [
        (OTHERS, Trust.LOG_VERIFIED, {}),
        (THEIRS, Trust.UPLOADED, {}),
        (THEIRS[:1], Trust.LOG_VERIFIED, {}),
        (THEIRS, Trust.LOG_VERIFIED, {"nodes/0/count": 4}),
        (THEIRS, Trust.LOG_VERIFIED, {"nodes/0/instance_type": "i2.xlarge"}),
        (THEIRS, Trust.LOG_VERIFIED, {"jdk/version": "11.0.2"}),
        (THEIRS, Trust.LOG_VERIFIED, {"service/version": "3.0.1"}),
        (THEIRS, Trust.LOG_VERIFIED, {"workload/consistency_level": "QUORUM"}),
        (OURS, Trust.LOG_VERIFIED, {"settings": {"name": "the same figures with another fact"}}),
    ],
)
def test_what_differs_does_not_rise(users, rates, trust, changes):
    stored(OURS, users[0])
    stored(rates, users[1], trust, **changes)

    assert trusts() == [("log_verified", None), (str(trust), None)]
    assert not Reproduction.objects.exists()


def test_another_patch_release_and_region_are_the_same_cluster(users):
    stored(OURS, users[0])
    stored(THEIRS, users[1], **{"service/version": "2.1.9", "region": "us-west-2", "zones": [], "jdk/version": "8u60"})

    assert [trust for trust, _ in trusts()] == ["reproduced", "reproduced"]


def test_an_article_is_nobodys_and_reproduces_nothing(users):
    stored(OURS, users[0])
    stored(THEIRS, None, Trust.HISTORICAL)

    assert trusts() == [("log_verified", None), ("historical", None)]


def test_own_hardware_is_equal_only_where_it_is_known(users):
    local = {"provider": "on-premises", "nodes/0/instance_type": "server"}
    known = {**local, "nodes/0/cpu_model": "Intel Xeon Gold 6248"}
    stored(OURS, users[0], **local)
    stored(THEIRS, users[1], **local)
    assert [trust for trust, _ in trusts()] == ["log_verified", "log_verified"]

    stored(OURS, users[0], **known)
    stored(THEIRS, users[1], **known)

    assert [trust for trust, _ in trusts()] == ["log_verified", "log_verified", "reproduced", "reproduced"]


def test_a_retraction_takes_it_from_both(users):
    first, second = stored(OURS, users[0]), stored(THEIRS, users[1])

    retract(first, reason="wrong instance type")

    assert trusts() == [("log_verified", None), ("log_verified", None)]
    assert (first.trust, reproduced_by(second)) == ("log_verified", [])


def test_a_second_reproduction_outlives_the_first(users):
    first, second = stored(OURS, users[0]), stored(THEIRS, users[1])
    third = stored((90_100.0, 91_900.0, 90_900.0), VerifiedUserFactory())
    assert reproduced_by(third) == [first.pk, second.pk]

    retract(first, reason="wrong instance type")

    assert [trust for trust, _ in trusts()] == ["log_verified", "reproduced", "reproduced"]


def test_a_retracted_one_reproduces_nothing_new(users):
    retract(stored(OURS, users[0]), reason="wrong instance type")
    stored(THEIRS, users[1])

    assert [trust for trust, _ in trusts()] == ["log_verified", "log_verified"]


def test_fresh_or_unverified_accounts_reproduce_nothing(users):
    stored(OURS, users[0])
    stored(THEIRS, UserFactory())
    stored((90_100.0, 91_900.0, 90_900.0), VerifiedUserFactory(date_joined=timezone.now() - timedelta(days=13)))

    assert {trust for trust, _ in trusts()} == {"log_verified"}


def test_two_accounts_of_one_organisation_are_one_voice(users):
    stored(OURS, users[0])
    stored(THEIRS, VerifiedUserFactory(email=f"somebody@mail.{users[0].username}.example"))
    assert {trust for trust, _ in trusts()} == {"log_verified"}

    third = stored((90_100.0, 91_900.0, 90_900.0), users[1])

    assert {trust for trust, _ in trusts()} == {"reproduced"}
    assert len(reproduced_by(third)) == 2
    assert agreeing_accounts(third) == 2


def test_an_account_that_grows_old_enough_counts_from_the_next_day_on(users, settings):
    settings.REPRODUCTION_ACCOUNT_DAYS = 20_000
    stored(OURS, users[0])
    stored(THEIRS, users[1])
    look_again()
    assert {trust for trust, _ in trusts()} == {"log_verified"}

    settings.REPRODUCTION_ACCOUNT_DAYS = 14
    look_again()
    assert trusts() == [("reproduced", "log_verified"), ("reproduced", "log_verified")]


def test_an_account_that_counts_no_more_takes_it_back(users):
    stored(OURS, users[0])
    stored(THEIRS, users[1])

    EmailAddress.objects.filter(user=users[1]).update(verified=False)
    look_again()

    assert trusts() == [("log_verified", None), ("log_verified", None)]


def test_what_awaits_a_moderator_reproduces_nothing(users):
    first = stored(OURS, users[0])
    Submission.objects.filter(pk=first.pk).update(unranked_at=timezone.now())
    stored(THEIRS, users[1])

    assert {trust for trust, _ in trusts()} == {"log_verified"}


def test_nine_that_agree_cost_the_same_queries_as_one(users):
    stored(OURS, users[0])
    store_all([prepared(THEIRS)], submitted_by=users[1])

    one = [prepared([rate + 200 for rate in THEIRS])]
    nine = [prepared([rate + 300 + 20 * n for rate in THEIRS]) for n in range(9)]

    with CaptureQueriesContext(connection) as of_one:
        store_all(one, submitted_by=users[1])
    with CaptureQueriesContext(connection) as of_nine:
        store_all(nine, submitted_by=users[1])

    assert Reproduction.objects.count() == 11
    assert len(of_nine) == len(of_one)


@pytest.mark.django_db(transaction=True)
def test_two_at_the_same_moment_find_each_other():
    batches = [(prepared(OURS), VerifiedUserFactory()), (prepared(THEIRS), VerifiedUserFactory())]
    barrier = threading.Barrier(2)

    def work(one, user):
        barrier.wait()
        store(one, submitted_by=user)
        connection.close()

    threads = [threading.Thread(target=work, args=batch) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [trust for trust, _ in trusts()] == ["reproduced", "reproduced"]
