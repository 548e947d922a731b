"""Who may see a result is chosen with every way in, and said before anything is saved."""

import json

import pytest

from submissions.models import Submission
from tests.documents import document, metadata
from tests.factories import UserFactory
from tests.submissions.logs import QUORUM, form, log
from tests.submissions.upload.test_page import FORM, NEW, log_file, text

pytestmark = pytest.mark.django_db

EMBARGO = "2031-05-06T00:00:00Z"


def shown_to():
    """Of the only submission that is stored."""
    row = Submission.objects.get()
    return row.visibility, row.embargo_until and row.embargo_until.isoformat()


def test_json_bulk_and_import_take_it_beside_the_facts(caller):
    choice = {"visibility": "unlisted", "embargo_until": EMBARGO}
    made = [caller.submit(document({**choice, "title": "JSON"})).json()]
    _, [line] = caller.bulk([json.dumps(document({**choice, "settings": {"door": "line"}})).encode()])
    made += [caller.client.get(f"/api/v1/submissions/{line['id']}/", **caller.headers).json()]
    made += caller.upload(form(log(QUORUM), meta=metadata(choice))).json()["submissions"]

    assert [(one["visibility"], one["embargo_until"], one["published_at"]) for one in made] == [
        ("unlisted", EMBARGO, EMBARGO)
    ] * 3
    assert not Submission.objects.published().exists()


def test_a_bad_choice_is_named(caller, faults, nothing_is_stored):
    wrong = {"visibility": "friends", "embargo_until": "tomorrow"}
    assert faults(caller.submit(document(wrong))).keys() == {"#/visibility", "#/embargo_until"}


@pytest.fixture
def staged(client, db):
    client.force_login(UserFactory(username="ada"))
    return client.post(NEW, {"log": [log_file("cs50-10-3node")]}).url


@pytest.mark.parametrize(
    ("choice", "sentence", "button", "stored"),
    [
        ({}, "Becomes public when you publish: the results", "Publish", ("public", None)),
        (
            {"visibility": "unlisted"},
            "Listed nowhere, but anyone with its secret link can see",
            "Save",
            ("unlisted", None),
        ),
        ({"visibility": "private"}, "Nothing becomes public: only you", "Save", ("private", None)),
        (
            {"visibility": "public", "embargo_until": "2031-05-06T00:00"},
            "Becomes public on 2031-05-06: the results",
            "Save",
            ("public", "2031-05-06T00:00:00+00:00"),
        ),
    ],
)
def test_the_review_says_in_one_line_what_becomes_public(client, staged, choice, sentence, button, stored):
    page = client.post(staged, {**FORM, **choice, "action": "check"})
    assert sentence in text(page)
    assert f">{button}</button>" in text(page)
    assert choice.get("visibility") == "private" or "your user name ada, and 1 raw file" in text(page)
    assert not Submission.objects.exists()

    client.post(staged, {**FORM, **choice, "action": "save"})

    assert shown_to() == stored


def test_an_embargo_that_cannot_be_is_named_at_its_field(client, staged):
    page = client.post(staged, {**FORM, "embargo_until": "1999-01-01T00:00", "action": "save"})

    assert page.status_code == 400
    assert "must be between the years 2000 and 2100" in text(page)
    assert not Submission.objects.exists()
