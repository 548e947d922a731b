"""Answers are kept until the submissions change."""

import pytest
from django.utils import timezone

from submissions.ingest.retract import retract
from submissions.models import Submission
from submissions.records.cache import cached
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


def count():
    return cached(("how many",), lambda: Submission.objects.published().count())


def test_an_answer_is_computed_once():
    SubmissionFactory()
    asked = []

    answers = [cached(("twice",), lambda: asked.append(1) or "answer") for _ in range(3)]

    assert (answers, len(asked)) == (["answer"] * 3, 1)


def test_a_new_submission_is_seen_at_once():
    assert count() == 0
    SubmissionFactory()
    assert count() == 1
    SubmissionFactory()
    assert count() == 2


def test_a_retraction_is_seen_at_once():
    first, second = SubmissionFactory(), SubmissionFactory()
    assert count() == 2
    retract(first, reason="throttled clients")
    assert count() == 1
    retract(second, reason="throttled clients")
    assert count() == 0


def test_a_new_database_with_the_same_ids_is_not_taken_for_the_old_one():
    row = SubmissionFactory()
    assert count() == 1

    Submission.objects.filter(pk=row.pk).update(created_at=timezone.now())

    assert cached(("how many",), lambda: "computed again") == "computed again"


def test_without_the_cache_every_answer_is_computed(settings):
    settings.CACHES = {
        "default": {
            "BACKEND": settings.CACHES["default"]["BACKEND"],
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }

    assert cached(("anything",), lambda: "computed") == "computed"


def test_keys_of_other_parts_are_other_values():
    assert cached(("spreads", 1, 12), lambda: "a") == "a"
    assert cached(("spreads", 11, 2), lambda: "b") == "b"
    assert cached(("spreads, 1", 12), lambda: "c") == "c"


def test_a_value_of_other_code_is_not_read(monkeypatch):
    monkeypatch.setattr("submissions.records.cache._code_version", lambda: "other")
    assert cached(("layout",), lambda: "old") == "old"
    monkeypatch.undo()
    assert cached(("layout",), lambda: "new") == "new"
