"""What is known before a batch is written: read under the lock of its account and its contents."""

import pytest

from submissions.ingest.lookups import look_up
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.quota import FIRST
from submissions.ingest.store import store
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

<<<<<<< HEAD:tests/submissions/ingest/test_lookups.py
    assert look_up([prepare_document(document())], user).usage.first_results == FIRST


@pytest.mark.django_db(transaction=True)
def test_ids_are_announced_before_they_are_taken():
    """Another connection never counts past an id that is still to come."""
    store(prepare_document(document()), submitted_by=None)
    seen = []

    def look():
        try:
            seen.append(data_state().reached)
        finally:
            connection.close()

    with transaction.atomic():
        look_up([prepare_document(document({"settings": {"n": "2"}}))], None)
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval('submissions_submission_id_seq')")
            (taken,) = cursor.fetchone()
        reader = threading.Thread(target=look)
        reader.start()
        reader.join()

    assert seen[0] < taken
=======
    assert look_up([prepare_document(document())], user).account.submissions == FIRST
>>>>>>> w-counts:tests/submissions/ingest/test_before.py
