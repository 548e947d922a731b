"""Logs of other results: which of them a new result repeats, and that two at the same moment cannot both."""

import threading

import pytest
from django.db import connection

from benchsite.http.refusals import Conflict
from submissions.ingest.checks.duplicates import duplicates_in, foreseen_duplicates
from submissions.ingest.pipeline import prepare_import
from submissions.ingest.store.store import store_all
from submissions.ingest.uploads import offered
from submissions.models import Artifact, Submission
from tests.documents import metadata
from tests.factories import UserFactory
from tests.submissions.logs import QUORUM, log

pytestmark = pytest.mark.django_db


def prepared(**facts):
    return prepare_import(metadata(facts), offered([log(QUORUM)]))


def reasons(batch, account):
    return [each.reason for each in foreseen_duplicates(batch, account)]


def test_the_first_result_of_a_log_is_named_with_what_differs():
    owner = UserFactory()
    [first] = store_all(prepared(), submitted_by=owner)
    store_all(prepared(region="eu-west-1"), submitted_by=owner)

    [reason] = reasons(prepared(region="eu-west-3", zones=["eu-west-3a"]), owner)

    number = first.submission.pk
    assert reason == (
        f"{QUORUM.name} is already published as result #{number} (/submissions/{number}/), which differs in: region and"
        " zones"
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"visibility": "private"}, "is already in your private result #"),
        ({"visibility": "unlisted", "link_key": "k" * 24}, "is already in your unlisted result #"),
        ({"embargo_until": "2099-01-01T00:00:00Z"}, "is already in your result #"),
    ],
)
def test_ones_own_result_that_is_not_public_is_named_as_what_it_is(fields, words):
    owner = UserFactory()
    store_all(prepared(), submitted_by=owner)
    Submission.objects.update(**fields)

    [reason] = reasons(prepared(region="eu-west-1"), owner)

    assert words in reason
    assert reasons(prepared(region="eu-west-1"), UserFactory()) == []


def test_more_than_four_differences_are_counted():
    owner = UserFactory()
    store_all(prepared(), submitted_by=owner)
    facts = {"region": "eu-west-1", "zones": ["a"], "jdk": {"vendor": "temurin", "version": "17"}}

    [reason] = reasons(prepared(**facts, measured_at="2026-01-01T00:00:00Z", client_placement="separate"), owner)

    assert reason.endswith(" and 2 more facts")


def test_the_same_content_is_no_duplicate_whatever_else_has_the_log():
    owner = UserFactory()
    store_all(prepared(), submitted_by=owner)
    store_all(prepared(region="eu-west-1"), submitted_by=owner)

    assert foreseen_duplicates(prepared(region="eu-west-1"), owner) == []


def test_results_that_are_stored_together_may_share_a_log():
    batch = [*prepared(), *prepared(region="eu-west-1")]
    contents = [each.content_hash for each in batch]
    owner = UserFactory()

    assert len(store_all(batch, submitted_by=owner, may_repeat_logs=False)) == 2
    assert duplicates_in(batch, contents, owner) == []


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_moment_one_is_refused():
    batches = [prepared(region=region) for region in ("us-east-1", "eu-west-1")]
    owners = [UserFactory(), UserFactory()]
    together = threading.Barrier(2)
    outcomes = []

    def publish(batch, owner):
        try:
            together.wait()
            store_all(batch, submitted_by=owner, may_repeat_logs=False)
            outcomes.append("stored")
        except Conflict:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=publish, args=pair) for pair in zip(batches, owners, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["refused", "stored"]
    assert (Submission.objects.count(), Artifact.objects.filter(kind="load_log").count()) == (1, 1)
