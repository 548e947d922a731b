"""Browsers report what the content security policy stops; whatever they send, it is a line of the log."""

import json

import pytest
from csp.utils import build_policy

from benchsite.http import csp

REPORT = {"csp-report": {"document-uri": "https://a/", "blocked-uri": "inline", "effective-directive": "script-src"}}


@pytest.fixture
def logged(client, caplog, clear_cache):
    def send(body):
        answer = client.post("/csp-report/", body, content_type="application/csp-report")
        assert answer.status_code == 204
        return [record.getMessage() for record in caplog.records if record.name == csp.__name__]

    return send


def test_pages_name_the_address_of_reports(client, db):
    assert "report-uri /csp-report/" in client.get("/account/login/").headers["Content-Security-Policy"]


def test_a_report_is_logged_without_what_nobody_needs(logged):
    (line,) = logged(json.dumps(REPORT | {"more": "x"}))

    assert "blocked-uri 'inline'" in line
    assert "more" not in line


@pytest.mark.parametrize("body", [b"", b"[]", b'{"csp-report": 7}', b"\xff", b"[" * 10_000])
def test_what_is_no_report_is_one_line(logged, body):
    assert len(logged(body)) == 1


def test_a_huge_report_is_ignored(logged):
    assert logged(b"x" * (csp.MOST_BYTES + 1)) == []


def test_only_the_first_of_a_minute_are_logged(logged):
    for _ in range(csp.MOST_A_MINUTE + 3):
        lines = logged(json.dumps(REPORT))

    assert len(lines) == csp.MOST_A_MINUTE


def test_the_policy_of_most_answers_is_the_one_of_the_settings(client, db, settings):
    def directives():
        header = client.get("/account/login/").headers["Content-Security-Policy"]
        return {directive.strip() for directive in header.split(";")}

    assert directives() == {directive.strip() for directive in build_policy().split(";")}

    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"default-src": ["'none'"]}}
    assert directives() == {"default-src 'none'"}
