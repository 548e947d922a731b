"""Reports: by anyone, by page and API, limited by address; nothing is learned of what is not public."""

import pytest
from django.test import Client

from submissions.choices import Outcome, Visibility
from submissions.models import Report
from submissions.moderation.decisions import decide
from submissions.moderation.reports import MOST_AN_HOUR
from tests.factories import SubmissionFactory, UserFactory, bearer
from tests.pages import faults, text

pytestmark = pytest.mark.django_db


def by_api(client, submission, body=None, **extra):
    path = f"/api/v1/submissions/{submission.pk}/report/"
    return client.post(path, body or {"reason": "spam"}, content_type="application/json", **extra)


def by_form(client, submission, **fields):
    return client.post(f"/submissions/{submission.pk}/report/", {"reason": "spam", **fields})


def test_a_reader_without_an_account_reports_from_the_page(client):
    submission = SubmissionFactory()
    assert f"/submissions/{submission.pk}/report/" in client.get(f"/submissions/{submission.pk}/").content.decode()
    form = client.get(f"/submissions/{submission.pk}/report/")
    assert faults(form) == []

    answer = by_form(client, submission, text="It is an advertisement.")

    assert answer.status_code == 302
    report = Report.objects.get()
    assert (report.submission, report.reason, report.text) == (submission, "spam", "It is an advertisement.")
    assert report.reporter is None
    assert "127.0.0.1" not in report.address_hash


def test_another_site_cannot_report_in_a_readers_name():
    strict = Client(enforce_csrf_checks=True)
    submission = SubmissionFactory()
    strict.force_login(UserFactory())

    assert by_form(strict, submission).status_code == 403
    assert by_api(strict, submission).status_code == 403
    form = strict.post(f"/api/v1/submissions/{submission.pk}/report/", {"reason": "spam"})
    assert form.status_code in (403, 415)
    assert not Report.objects.exists()


def test_the_api_takes_a_report_with_and_without_a_token(client):
    submission, user = SubmissionFactory(), UserFactory()

    anonymous = by_api(client, submission, {"reason": "illegal", "text": "page 2"})
    known = by_api(client, submission, **bearer(user, scopes=()))

    assert (anonymous.status_code, known.status_code) == (201, 201)
    assert anonymous.json() == {"reason": "illegal", "text": "page 2", "created_at": anonymous.json()["created_at"]}
    assert Report.objects.filter(reporter=user).count() == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"reason": "because"}, "#/reason"),
        ({"text": "x"}, "#/reason"),
        ({"reason": "spam", "text": "x" * 2001}, "#/text"),
        ({"reason": "spam", "text": {"a": 1}}, "#/text"),
        ({"reason": "spam", "text": "a\x00b"}, "#/text"),
        ({"reason": "spam", "who": "me"}, "#/who"),
        ({"reason": ["spam"]}, "#/reason"),
        ([], "#"),
    ],
)
def test_a_bad_report_names_the_field_and_stores_nothing(client, faults, body, pointer):
    answer = client.post(f"/api/v1/submissions/{SubmissionFactory().pk}/report/", body, content_type="application/json")

    assert list(faults(answer)) == [pointer]
    assert not Report.objects.exists()


def test_one_address_sends_only_so_many_in_an_hour(client):
    submissions = SubmissionFactory.create_batch(MOST_AN_HOUR + 1)
    for submission in submissions[:-1]:
        assert by_api(client, submission).status_code == 201

    refused = by_api(client, submissions[-1])
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) > 0
    page = by_form(client, submissions[-1])
    assert page.status_code == 429
    assert "Too many reports" in text(page)
    assert by_api(client, submissions[-1], REMOTE_ADDR="192.0.2.9").status_code == 201


def test_a_made_up_address_changes_nothing_where_no_proxy_stands_before_the_site(client, settings):
    settings.PROXIES = 0
    for number in range(MOST_AN_HOUR):
        by_api(client, SubmissionFactory(), HTTP_X_FORWARDED_FOR=f"192.0.2.{number}")

    assert by_api(client, SubmissionFactory(), HTTP_X_FORWARDED_FOR="192.0.2.99").status_code == 429


def test_addresses_of_one_ipv6_network_count_as_one(client):
    for number in range(MOST_AN_HOUR):
        by_api(client, SubmissionFactory(), REMOTE_ADDR=f"2001:db8::{number + 1:x}")

    assert by_api(client, SubmissionFactory(), REMOTE_ADDR="2001:db8::ffff").status_code == 429


def test_the_same_report_again_is_one(client):
    submission = SubmissionFactory()

    assert [by_api(client, submission).status_code for _ in range(2)] == [201, 201]

    assert Report.objects.count() == 1


def test_what_is_private_or_hidden_cannot_be_reported(client):
    private = SubmissionFactory(visibility=Visibility.PRIVATE)
    hidden = SubmissionFactory()
    decide(hidden, Outcome.HIDDEN, reason="spam", by=None)

    for submission in (private, hidden):
        assert by_api(client, submission).status_code == 404
        assert by_form(client, submission).status_code == 404
    assert not Report.objects.exists()


def test_credentials_that_a_report_quotes_are_masked_before_it_is_stored(client):
    submission = SubmissionFactory()
    quoted = "Line 3: -p mongodb.url=mongodb://user:hunter2@db.example.org/ and password=hunter2"

    assert by_api(client, submission, {"reason": "secrets", "text": quoted}).status_code == 201
    by_form(client, submission, text=quoted)

    texts = Report.objects.values_list("text", flat=True)
    assert texts
    assert all("hunter2" not in text and "Line 3: -p mongodb.url=mongodb://user:*masked*" in text for text in texts)
