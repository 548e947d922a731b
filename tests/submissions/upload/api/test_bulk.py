"""POST /api/v1/submissions/bulk/: a document a line, an answer a line."""

import json

import pytest

from submissions.models import Submission
from tests.documents import document
from tests.submissions.caller import BASE


def line(**changes):
    return json.dumps(document(changes)).encode()


def page(answer):
    return f"http://testserver/submissions/{answer['id']}/"


def test_every_line_has_its_answer_in_order(caller):
    response, answers = caller.bulk([line(region="a"), line(provider=7), b"{", line(region="b"), line(region="a")])

    assert response.status_code == 200
    assert response["Content-Type"] == "application/x-ndjson"
    assert [answer["line"] for answer in answers] == [1, 2, 3, 4, 5]
    assert [answer["status"] for answer in answers] == [201, 400, 400, 201, 200]
    [missing] = answers[0].pop("missing")
    assert missing["pointer"] == "#/nodes/0/cpu_model"
    assert answers[0] == {"line": 1, "status": 201, "id": answers[0]["id"], "url": page(answers[0]), "errors": []}
    assert answers[1] == {
        "line": 2,
        "status": 400,
        "id": None,
        "url": None,
        "errors": [{"pointer": "#/provider", "detail": "must be a string"}],
        "missing": [],
    }
    assert answers[2]["errors"][0]["pointer"] == "#"
    assert answers[4]["id"] == answers[0]["id"]
    assert sorted(Submission.objects.values_list("region", flat=True)) == ["a", "b"]


@pytest.mark.parametrize(
    "bad",
    [
        b"\xff\xfe",
        b"[" * 10_000,
        b"NaN",
        b'{"notes": "' + b"x" * 2_000_000 + b'"}',
        b"null",
        b'"\\ud800"',
        b"{}",
    ],
    ids=lambda bad: repr(bad[:12]),
)
def test_a_bad_line_fails_alone(caller, bad):
    _, answers = caller.bulk([line(region="before"), bad, line(region="after")])

    assert [answer["status"] for answer in answers] == [201, 400, 201]
    assert Submission.objects.count() == 2


def test_a_line_of_10_mb_is_refused_by_its_size(caller):
    _, answers = caller.bulk([b"x" * 10_000_000, line()])

    assert answers[0]["errors"] == [{"pointer": "#", "detail": "the line is over 1,048,576 bytes"}]
    assert answers[1]["status"] == 201


def test_blank_lines_and_windows_ends_are_no_lines(caller):
    response = caller.post(f"{BASE}bulk/", b"\r\n" + line() + b"\r\n\r\n\n", content_type="application/x-ndjson")

    answers = [json.loads(text) for text in response.getvalue().splitlines()]
    assert [(answer["line"], answer["status"]) for answer in answers] == [(2, 201)]


def test_of_a_thousand_lines_the_bad_one_alone_fails(caller, settings):
    settings.MAX_NEW_USER_RESULTS_DAY = 1_000
    lines = [line(region=f"r{n}") for n in range(1_000)]
    lines[500] = b'{"provider": '

    _, answers = caller.bulk(lines)

    assert [answer["line"] for answer in answers if answer["status"] != 201] == [501]
    assert Submission.objects.count() == 999


def test_an_empty_body_is_refused(caller, faults):
    assert list(faults(caller.post(f"{BASE}bulk/", b"", content_type="application/x-ndjson"))) == ["#"]


def test_an_announced_body_over_the_limit_is_refused_unread(caller, faults, monkeypatch):
    from submissions.upload.api.bulk import BulkImport

    monkeypatch.setattr(BulkImport, "max_body_bytes", 100)
    response = caller.post(f"{BASE}bulk/", line(), content_type="application/x-ndjson")

    assert faults(response, 413) == {"#": "the body is over 100 bytes"}


def test_json_is_not_lines_of_json(caller, faults):
    assert faults(caller.post(f"{BASE}bulk/", document()), 415)


@pytest.mark.parametrize(
    "content_type", ["application/ndjson", "application/jsonl", "application/x-ndjson; charset=utf-8"]
)
def test_other_names_of_the_format_are_known(caller, content_type):
    _, answers = caller.bulk([line()], content_type=content_type)

    assert [answer["status"] for answer in answers] == [201]


def test_a_dry_run_is_not_for_this_door_and_stores_nothing(caller, faults):
    response = caller.post(f"{BASE}bulk/?dry_run=true", line(), content_type="application/x-ndjson")

    assert list(faults(response)) == ["#/dry_run"]
    assert not Submission.objects.exists()


@pytest.mark.parametrize("accept", ["application/x-ndjson", "application/json", "*/*"])
def test_the_answer_is_ndjson_whatever_json_is_accepted(caller, accept):
    response = caller.client.post(
        f"{BASE}bulk/", line(), content_type="application/x-ndjson", HTTP_ACCEPT=accept, **caller.headers
    )

    assert response["Content-Type"] == "application/x-ndjson"
    assert json.loads(response.getvalue())["status"] == 201
