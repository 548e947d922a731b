"""What is known before a batch is written: read under the lock of its account and its contents."""

import pytest

from submissions.ingest.checks.quota import FIRST
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.lookups import look_up
from submissions.ingest.store.store import store
from tests.documents import document
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_contents_workloads_and_the_account_are_found():
    known, new = prepare_document(document()), prepare_document(document({"service/name": "scylladb"}))
    user = UserFactory()
    store(known, submitted_by=user)

    found = look_up([known, new], user)

    assert found.is_any_stored
    assert list(found.workloads) == [known.fingerprint]
    assert (found.usage.is_active, found.usage.first_results) == (True, 1)
    assert not look_up([new], None).is_any_stored


def test_no_more_submissions_of_an_account_are_counted_than_decide_whether_it_is_new():
    user = UserFactory()
    for number in range(FIRST + 1):
        store(prepare_document(document({"settings": {"n": str(number)}})), submitted_by=user)

    assert look_up([prepare_document(document())], user).usage.first_results == FIRST
