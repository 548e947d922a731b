"""Logs that are part of another result, in the review of one and of many: named, and published again if wanted."""

import pytest

from submissions.models import Submission
from tests.documents import metadata
from tests.factories import UserFactory
from tests.files import stress_log
from tests.submissions.caller import Caller
from tests.submissions.logs import QUORUM, form, log
from tests.submissions.upload.batch.test_page import FACTS, NEW, files_of, posted, rows_by_name, text, uploader

__all__ = ["uploader"]  # a fixture

pytestmark = pytest.mark.django_db

NAME = stress_log("cs50-10").name


@pytest.fixture
def known(client):
    """A result of another account with the log cs50-10."""
    parts = form(log(QUORUM), meta=metadata({"region": "eu-west-1"}))
    return Caller(client, UserFactory()).upload(parts).json()["submissions"][0]


def test_a_log_of_another_result_is_named_in_its_row_and_skipped(client, known, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url

    checked = client.post(staged, posted(client.get(staged), action="check"))

    [reason] = rows_by_name(checked)[NAME].reasons
    assert reason.startswith(f"{NAME} is already published as result #{known['id']} (/submissions/{known['id']}/)")
    assert "?duplicate" not in text(checked)
    assert "Publish 1, skip 1" in text(checked)
    assert 'name="duplicate-0" value="allow"' in text(checked)
    published = client.post(staged, posted(checked, action="publish"), follow=True)
    assert f'<li class="break">{NAME} is already published as result #{known["id"]}' in text(published)
    assert Submission.objects.filter(submitted_by=uploader).count() == 1


def test_a_box_publishes_it_again(client, known, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url
    allowed = {"duplicate-0": "allow"}

    checked = client.post(staged, posted(client.get(staged), action="check", **allowed))
    client.post(staged, posted(checked, action="publish", **allowed))

    assert "Publish 2" in text(checked)
    assert Submission.objects.filter(submitted_by=uploader).count() == 2


def test_the_review_of_one_log_has_the_same_box(client, known, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10")}).url

    refused = client.post(staged, {**FACTS, "action": "save"})
    stored_at_once = Submission.objects.filter(submitted_by=uploader).exists()
    published = client.post(staged, {**FACTS, "action": "save", "duplicate": "allow"}, follow=True)

    assert (refused.status_code, stored_at_once) == (409, False)
    place = f'<a href="/submissions/{known["id"]}/">published as result #{known["id"]}</a>, which differs in: region'
    assert f"{NAME} is already {place}" in text(refused)
    assert "Publish it again as another result" in text(refused)
    assert "Published 1 result from 1 file." in text(published)
    assert Submission.objects.filter(submitted_by=uploader).count() == 1


def test_of_a_private_result_of_another_no_review_says_anything(client, known, uploader):
    Submission.objects.update(visibility="private")
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02")}).url

    checked = client.post(staged, posted(client.get(staged), action="check"))

    assert "already" not in text(checked)
    assert "Publish 2<" in text(checked)


def test_the_review_has_no_column_that_is_empty_and_refused_files_have_a_list(client, uploader):
    staged = client.post(NEW, {"log": files_of("cs50-10", "cs50-02", "cs50-12-all")}).url
    first = client.get(staged)

    assert "<h3>Refused</h3>" in text(first)
    assert f"<strong>{stress_log('cs50-12-all').name}</strong>: all 200 of 200 operations failed" in text(first)
    rows = first.context["editable"]
    assert all(row.figures.throughput_ops_s and row.figures.latency_p99_ms and row.format for row in rows)
    assert ": ." not in text(first)
    assert "0 raw files" not in text(first)
