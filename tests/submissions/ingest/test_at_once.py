"""Most uploads are written by one statement, which does nothing unless all is as the web process believes."""

import threading
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from submissions.choices import Flag, Trust
from submissions.ingest.at_once import Believed, store_at_once
from submissions.ingest.newcomers import FIRST, WAIT
from submissions.ingest.outliers import MOST_TIMES
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.rivals import FEWEST_KNOWN
from submissions.ingest.rows import workload_columns
from submissions.ingest.store import Origin, store
from submissions.models import ApiToken, DataVersion, NodeGroup, Submission, Trial, Workload
from submissions.models.data_version import Subject
from tests.documents import document
from tests.factories import PriceFactory, UserFactory
from tests.submissions.ingest.test_insert import RICH, columns

pytestmark = pytest.mark.django_db


def prepared(number=0, **changes):
    return prepare_document(document({**changes, "settings": {"n": str(number)}}))


def at_once(upload, user, **believed):
    return store_at_once(upload, submitted_by=user, believed=Believed(**believed))


def version_of_prices():
    return tuple(DataVersion.objects.filter(subject=Subject.PRICES).order_by("pk").values_list("token", flat=True))


@pytest.fixture
def known():
    """An account that is known to be no moderator, of whom the workload is."""
    user = UserFactory()
    store(prepared(), submitted_by=user)
    return user


@pytest.fixture
def user(known):
    """The account after its first days."""
    for number in range(1, FIRST):
        store(prepared(number), submitted_by=known)
    Submission.objects.update(unranked_until=None)
    return known


@pytest.fixture
def rival(user):
    """Somebody else's result of the workload, with a log."""
    rows = store(prepared("rival"), submitted_by=UserFactory()).submission
    Submission.objects.filter(pk=rows.pk).update(trust=Trust.LOG_VERIFIED, unranked_until=None)


def test_it_is_one_statement(user, rival, django_assert_num_queries):
    upload = prepared("new")

    with django_assert_num_queries(1):
        rows = at_once(upload, user)

    assert Submission.objects.get(content_hash=upload.content_hash).pk == rows.submission.pk


def test_without_a_rival_that_has_a_log_it_is_two_statements_once(user, django_assert_num_queries):
    first, second = prepared("first"), prepared("second")

    with django_assert_num_queries(2):
        assert at_once(first, user) is not None
    with django_assert_num_queries(1):
        assert at_once(second, user) is not None


def test_its_rows_are_those_of_the_other_way(user):
    usual = store(prepare_document(document({**RICH, "settings": {**RICH["settings"], "n": 1}})), submitted_by=user)
    other = at_once(prepare_document(document({**RICH, "settings": {**RICH["settings"], "n": 2}})), user)

    for table in (Submission, Trial, NodeGroup):
        assert columns(table, other.submission) == columns(table, usual.submission)
    assert other.submission.workload == usual.submission.workload
    assert other.submission.workload.title == usual.submission.workload.title


def test_behind_a_pooler_it_is_the_same_statement(user, rival, monkeypatch, django_assert_num_queries):
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)

    upload, version = prepared("new"), version_of_prices()

    with django_assert_num_queries(1):
        assert at_once(upload, user, prices_version=version) is not None


@pytest.mark.parametrize("by_another", [True, False])
def test_what_was_sent_before_is_not_written(user, by_another):
    store(prepared("twice"), submitted_by=UserFactory() if by_another else user)

    assert at_once(prepared("twice"), user) is None


def test_a_new_workload_is_written_with_its_first_submission(user, django_assert_num_queries):
    others = prepare_document(document({"service/name": "scylladb"}))
    with django_assert_num_queries(2):  # it has no rivals
        first = at_once(others, user).submission

    assert Workload.objects.count() == 2
    written, usual = Workload.objects.get(pk=first.workload_id), Workload(**workload_columns(others))
    for name in ("fingerprint", "canonical", "title", "service", "former_fingerprints"):
        assert getattr(written, name) == getattr(usual, name)
    assert (first.workload.pk, first.workload.title) == (written.pk, written.title)
    again = at_once(prepare_document(document({"service/name": "scylladb", "settings": {"n": "2"}})), user)
    assert again.submission.workload_id == written.pk


def test_what_is_not_written_leaves_no_workload(user):
    assert at_once(prepare_document(document({"service/name": "scylladb"})), user, prices_version=(uuid4(),)) is None
    assert Workload.objects.count() == 1


def test_prices_that_have_changed_since_write_nothing(user):
    version = version_of_prices()
    assert at_once(prepared("before"), user, prices_version=version) is not None

    PriceFactory()

    assert at_once(prepared("after"), user, prices_version=version) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda token: token.delete(),
        lambda token: ApiToken.objects.filter(pk=token.pk).update(scopes=[ApiToken.Scope.RUN]),
        lambda token: ApiToken.objects.filter(pk=token.pk).update(expiry=timezone.now()),
        lambda token: ApiToken.objects.filter(pk=token.pk).update(user=UserFactory()),
        lambda token: type(token.user).objects.filter(pk=token.user.pk).update(is_active=False),
    ],
    ids=["deleted", "other scopes", "expired", "of another", "account closed"],
)
def test_a_token_that_is_not_what_it_was_writes_nothing(user, change):
    token, _ = ApiToken.objects.create(user, scopes=[ApiToken.Scope.SUBMIT])
    digest = token.digest
    assert at_once(prepared("before"), user, token_digest=digest) is not None

    change(token)

    assert at_once(prepared("after"), user, token_digest=digest) is None


def test_a_rate_that_nothing_known_comes_near_is_not_written(user):
    for number in range(FEWEST_KNOWN):
        store(prepared(f"other {number}"), submitted_by=None, origin=Origin("x"))
    rate = document()["trials"][0]["throughput_ops_s"]
    Submission.objects.filter(submitted_by=None).update(trust=Trust.LOG_VERIFIED)

    assert at_once(prepared(1, **{"trials/0/throughput_ops_s": rate * MOST_TIMES * 0.99}), user) is not None
    too_high = prepared(2, **{"trials/0/throughput_ops_s": rate * MOST_TIMES * 1.01})
    assert at_once(too_high, user) is None
    assert Flag.RATE_IMPLAUSIBLE in store(too_high, submitted_by=user).submission.flags


def test_where_nobody_has_sent_a_log_uploads_of_others_are_the_measure(user, django_assert_num_queries):
    for number in range(FEWEST_KNOWN):
        store(prepared(f"other {number}"), submitted_by=None, origin=Origin("x"))
    Submission.objects.filter(submitted_by=None).update(trust=Trust.UPLOADED)
    rate = document()["trials"][0]["throughput_ops_s"]

    plausible = prepared(1, **{"trials/0/throughput_ops_s": rate * MOST_TIMES * 0.99})
    with django_assert_num_queries(2):
        assert at_once(plausible, user) is not None
    assert at_once(prepared(2, **{"trials/0/throughput_ops_s": rate * MOST_TIMES * 1.01}), user) is None


def test_newcomers_wait_as_the_other_way(known):
    first = Submission.objects.get()
    for number in range(1, FIRST):
        assert at_once(prepared(number), known).submission.unranked_until > first.unranked_until
    last = Submission.objects.latest("pk")
    follower = at_once(prepared(FIRST), known).submission

    assert timezone.now() < last.unranked_until <= timezone.now() + WAIT
    assert follower.unranked_until == last.unranked_until
    follower.refresh_from_db()
    assert follower.unranked_until == last.unranked_until


def test_of_a_newcomer_of_whom_nothing_is_known_nothing_is_written(known):
    assert at_once(prepared("new"), UserFactory()) is None


def test_rights_that_have_changed_since_write_nothing_of_a_newcomer(known):
    assert at_once(prepared(1), known) is not None

    DataVersion.objects.create(subject=Subject.PAGES, token=uuid4())

    assert at_once(prepared(2), known) is None


@pytest.mark.django_db(transaction=True)
def test_of_equal_contents_at_the_same_time_one_is_written(user):
    """The second waits for the lock, and its look comes after."""
    written, ready = [], threading.Barrier(3)

    def upload():
        try:
            ready.wait()
            written.append(at_once(prepared("raced"), user))
        finally:
            connection.close()

    threads = [threading.Thread(target=upload) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(rows is not None for rows in written) == 1
    assert Submission.objects.filter(content_hash=prepared("raced").content_hash).count() == 1
