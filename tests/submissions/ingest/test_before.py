"""What is known before a batch is written: read at once, and under the lock of its contents."""

import pytest

from submissions.ingest.before import look_up
from submissions.ingest.newcomers import FIRST
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store import store
from tests.documents import document
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_one_statement_finds_contents_workloads_and_the_account(django_assert_num_queries):
    known, new = prepare_document(document()), prepare_document(document({"service/name": "scylladb"}))
    user = UserFactory()
    store(known, submitted_by=user)

    with django_assert_num_queries(1):
        before = look_up([known, new], user)

    assert before.is_any_stored
    assert list(before.workloads) == [known.fingerprint]
    assert (before.account.is_active, before.account.submissions) == (True, 1)
    assert not look_up([new], None).is_any_stored


def test_no_more_submissions_of_an_account_are_counted_than_decide_whether_it_is_new():
    user = UserFactory()
    for number in range(FIRST + 1):
        store(prepare_document(document({"settings": {"n": str(number)}})), submitted_by=user)

    assert look_up([prepare_document(document())], user).account.submissions == FIRST
