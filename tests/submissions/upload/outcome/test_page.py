"""The page after publishing: what was published, how it ranks, and where to go with it."""

import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from submissions.models import Submission
from tests.documents import metadata
from tests.factories import UserFactory
from tests.files import DATA, stress_log, uploaded
from tests.submissions.caller import Caller
from tests.submissions.logs import QUORUM, form, log
from tests.submissions.upload.batch.test_page import FACTS, NEW, files_of, posted, text, uploader

__all__ = ["uploader"]  # a fixture

pytestmark = pytest.mark.django_db


def published(client, *files, **facts):
    """The page after these files were published by the form, with one address for one result and for many."""
    staged = client.post(NEW, {"log": list(files)}).url
    if "/many/" not in staged:
        return client.post(staged, {**FACTS, **facts, "action": "save"}, follow=True)
    return client.post(staged, posted(client.get(staged), **facts, action="publish"), follow=True)


def links(response):
    """The addresses of the page by their words."""
    found = re.findall(r'<a [^>]*?href="([^"]+)"[^>]*>(.*?)</a>', text(response))
    return {words: address.replace("&amp;", "&") for address, words in found}


def reviewed():
    """As after a moderator has approved the first results of a new account."""
    Submission.objects.update(unranked_until=None)


@pytest.fixture
def others(client):
    """The same log but for its figures by another account: faster, and on the board."""
    faster = QUORUM.read_bytes().replace(b"1,069 op/s", b"1,169 op/s") + b"\n"
    caller = Caller(client, UserFactory())
    row = caller.upload(form(log(faster, "faster.log"), meta=metadata({"region": "eu-west-1"}))).json()["submissions"][
        0
    ]
    Submission.objects.filter(pk=row["id"]).update(throughput_ops_s=5_000.0, unranked_until=None)
    return row


def test_many_results_are_listed_with_figures_and_can_be_compared_at_once(client, uploader):
    response = published(client, *files_of("cs50-10", "cs50-02", "cs50-12-all"))

    assert response.redirect_chain[-1][0].endswith("/published/")
    assert "Published 2 results from 2 files. 1 file was skipped" in text(response)
    assert "Review your files" not in text(response)
    rows = Submission.objects.order_by("pk")
    for row in rows:
        assert f'<a href="/submissions/{row.pk}/">#{row.pk} ' in text(response)
        assert f'name="s" value="{row.pk}"' in text(response)
    assert re.search(r'<td class="num key"[^>]*><span [^>]*>1.07 k<', text(response))
    assert "short" in text(response)  # a flag
    assert ">Compare these</button>" in text(response)
    assert links(response)["See all mine"] == "/account/#own"
    checked = re.findall(r'name="s" value="(\d+)"[^>]* checked', text(response))
    assert client.get("/compare/", {"s": checked}).status_code == 200


def test_a_new_account_reads_that_its_results_wait_and_until_when(client, uploader):
    response = published(client, *files_of("cs50-10", "cs50-02"))

    day = f"{timezone.now() + timedelta(days=7):%Y-%m-%d}"
    assert f"These 2 results join the leaderboards on {day}, or earlier once reviewed." in text(response)


def test_the_first_of_its_workload_says_so(client, uploader):
    response = published(client, *files_of("cs50-10"))

    assert "First result of its workload" in text(response)
    assert "Against the best" not in text(response)
    assert links(response)["Compare with…"] == f"/compare/?with={Submission.objects.get().pk}"


def test_a_result_is_ranked_and_compared_with_the_best_of_others(client, others, uploader):
    response = published(client, *files_of("cs50-10"))
    own = Submission.objects.get(submitted_by=uploader)
    assert "After review: number 2 of 2 by throughput" in text(response)

    reviewed()
    response = client.get(response.request["PATH_INFO"])

    assert re.search(r"Rank [12](-2)? of 2 results", text(response))
    against = links(response)["Against the best"]
    assert parse_qs(urlsplit(against).query)["s"] == [str(others["id"]), str(own.pk)]
    assert client.get(against).status_code == 200


def test_where_nothing_is_ranked_yet_that_is_what_it_says(client, others, uploader):
    Submission.objects.update(unranked_until=timezone.now() + timedelta(days=1))

    response = published(client, *files_of("cs50-10"))

    assert "No result of its workload is ranked yet" in text(response)
    assert "Against the best" not in text(response)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"flags": ["truncated"]}, "On no leaderboard: truncated"),
        ({"flags": ["throttled"]}, "On no leaderboard: limited to this rate by the test"),
        ({"visibility": "private"}, "Private: only you can see it"),
        ({"embargo_until": timezone.now() + timedelta(days=400)}, "Public on "),
    ],
)
def test_what_is_not_ranked_says_why(client, others, uploader, changes, words):
    response = published(client, *files_of("cs50-10"))
    Submission.objects.filter(submitted_by=uploader).update(**changes)

    assert words in text(client.get(response.request["PATH_INFO"]))


def test_a_file_that_was_skipped_says_what_it_lacks(client, uploader):
    logs = [DATA / "pgbench" / "pg15-01-tpcb.log", DATA / "sysbench" / "sb10-02-histogram.log"]

    response = published(client, *map(uploaded, logs), service=None)

    assert "<strong>sb10-02-histogram.log</strong>: Database missing" in text(response)
    assert links(response)["Correct and publish the skipped files"].startswith("/submissions/new/many/")


def test_the_same_content_again_is_marked(client, uploader):
    published(client, *files_of("cs50-10", "cs50-02"))

    again = published(client, *files_of("cs50-10", "cs50-14"))

    assert "1 of them was uploaded before: the first upload counts." in text(again)
    assert text(again).count(">uploaded before<") == 1


def test_a_strangers_result_that_became_private_is_no_longer_listed(client, uploader):
    stranger = Caller(client, UserFactory())
    meta = {**metadata(), "service": {"name": "cassandra"}, "measured_at": None}
    first = stranger.upload(form(log(QUORUM), meta=meta)).json()["submissions"][0]
    response = published(client, *files_of("cs50-10"))
    assert f"#{first['id']}" in text(response)
    assert Submission.objects.count() == 1

    Submission.objects.update(visibility="private")

    assert client.get(response.request["PATH_INFO"]).status_code == 404


def test_only_its_uploader_sees_it(client, uploader):
    here = published(client, *files_of("cs50-10")).request["PATH_INFO"]

    client.force_login(UserFactory())
    assert client.get(here).status_code == 404
    client.logout()
    assert client.get(here).status_code == 302


def test_more_than_six_results_of_several_workloads_are_found_again(client, uploader):
    logs = [DATA / "pgbench" / "pg15-01-tpcb.log", DATA / "pgbench" / "pg18-02-select-only.log"]
    logs += [stress_log(start) for start in ("cs50-01", "cs50-02", "cs50-03", "cs50-04", "cs50-10", "cs50-14")]
    facts = {"service": None, "service-cassandra-stress": "cassandra", "service-pgbench": "postgresql"}

    response = published(client, *map(uploaded, logs), **facts)

    assert Submission.objects.count() == 8
    checked = re.findall(r'name="s" value="(\d+)"[^>]* checked', text(response))
    assert 2 <= len(checked) <= 6
    assert "At most 6 results are compared at once." in text(response)
    mine = client.get("/account/")
    for row in Submission.objects.all():
        assert f'href="/submissions/{row.pk}/"' in text(mine)
