"""Two exports at a time in a process: others are told when to come back, and a place is always given back."""

import gc

import pytest
from django.http import StreamingHttpResponse

from benchsite.http import exports
from tests.factories import SubmissionFactory
from tests.pages import text

pytestmark = pytest.mark.django_db
LIST, ONE = "/api/v1/submissions/?format=csv", "/api/v1/submissions/"


def test_a_third_export_is_refused_and_reading_goes_on(client):
    SubmissionFactory()
    begun = [client.get(LIST) for _ in range(exports.AT_ONCE)]

    refused = client.get(LIST)

    assert [answer.status_code for answer in begun] == [200, 200]
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert "other exports" in refused.json()["errors"][0]["detail"]
    assert client.get(ONE).status_code == 200
    begun[0].getvalue()
    assert client.get(LIST).status_code == 200


def test_an_export_that_was_read_gives_its_place_back(client):
    SubmissionFactory()

    for _ in range(exports.AT_ONCE + 2):
        answer = client.get(LIST)
        assert answer.getvalue().startswith(b"id,")


def test_one_that_was_read_to_its_end_waits_for_nobody_who_closes_it(rf, client):
    read = [exports.in_a_place(rf.get("/"), StreamingHttpResponse([b"a", b"b"]), list) for _ in range(exports.AT_ONCE)]

    assert [b"".join(answer.streaming_content) for answer in read] == [b"ab", b"ab"]
    assert client.get(LIST).status_code == 200


def test_one_that_is_never_read_gives_its_place_back(client):
    for _ in range(exports.AT_ONCE + 2):
        client.head(LIST)
        client.get(LIST)
        gc.collect()

    assert client.get(LIST).status_code == 200


def test_intervals_and_archives_are_exports(client):
    submission = SubmissionFactory()
    begun = [client.get(LIST) for _ in range(exports.AT_ONCE)]

    for part in ("intervals", "bundle"):
        assert client.get(f"{ONE}{submission.pk}/{part}/").status_code == 503, part
    assert len(begun) == 2


def test_a_page_says_it_in_words(client, admin_client):
    answer = exports.problems.unavailable(client.get("/").wsgi_request, exports.BUSY)

    assert answer.status_code == 503
    assert "other exports are being written" in text(answer)
