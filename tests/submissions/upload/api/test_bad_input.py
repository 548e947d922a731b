"""What strangers send: each is refused with the place and the reason, and nothing is stored."""

import json

import pytest

from submissions.models import Submission, Workload
from tests.documents import document
from tests.submissions.caller import BASE

NESTED = b"[" * 10_000 + b"]" * 10_000


def with_settings(raw):
    """The example document, with `raw` JSON in its settings."""
    text = json.dumps(document({"settings": {"x": "PLACE"}}))
    return text.encode().replace(b'"PLACE"', raw)


@pytest.fixture(autouse=True)
def nothing_is_stored(db):
    yield
    assert not Submission.objects.exists()
    assert not Workload.objects.exists()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"provider": ...}, {"#/provider": "is required"}),
        ({"service/name": ...}, {"#/service/name": "is required"}),
        ({"trials/0/throughput_ops_s": ...}, {"#/trials/0": "needs throughput_ops_s"}),
        ({"nodes": []}, {"#/nodes": "needs at least 1 entries"}),
        ({"nodes/0/role": "client"}, {"#": 'nodes needs a group with role "database"'}),
        ({"nodes/0/role": "databse"}, {"#/nodes/0/role": "must be one of 'database', 'cache' or 'client'"}),
        ({"colour": "blue"}, {"#/colour": "unknown key"}),
        ({"trials/0/latency_ms/p98": 3}, {"#/trials/0/latency_ms/p98": "unknown key"}),
        ({"a/b~c": 1}, {"#/a~1b~0c": "unknown key"}),
        ({"trials/0/throughput_ops_s": "90748"}, {"#/trials/0/throughput_ops_s": "must be a number"}),
        ({"trials/0/throughput_ops_s": True}, {"#/trials/0/throughput_ops_s": "must be a number"}),
        ({"trials/0/throughput_ops_s": -5}, {"#/trials/0/throughput_ops_s": "must be greater than 0"}),
        ({"trials/0/throughput_ops_s": 5e-324}, {"#/trials/0/throughput_ops_s": "must be greater than 0"}),
        (
            {"trials/0/throughput_ops_s": 1e10, "nodes/0/hourly_usd": "0.00000001"},
            {"#/nodes/0/hourly_usd": "is too low for this throughput"},
        ),
        ({"measured_at": "9999-12-31T23:59:59-14:00"}, {"#/measured_at": "must not be in the future"}),
        ({"measured_at": "2999-01-01T00:00:00Z"}, {"#/measured_at": "must not be in the future"}),
        (
            {"trials/0/started_at": "9999-12-31T23:59:59-14:00"},
            {"#/trials/0/started_at": "must not be in the future"},
        ),
        (
            {"trials/0/started_at": "0001-01-01T00:00:00+14:00"},
            {"#/trials/0/started_at": "must not be before the year 2000"},
        ),
        ({"trials/0/throughput_ops_s": 1e300}, {"#/trials/0/throughput_ops_s": "must be at most 10,000,000,000"}),
        ({"trials/0/errors": -1}, {"#/trials/0/errors": "must be at least 0"}),
        ({"trials/0/operations": 0}, {"#/trials/0": "has no successful operation: there is no throughput to record"}),
        (
            {"trials/0/latency_ms": {"p50": 9, "p99": 4}},
            {"#/trials/0/latency_ms": "p50 9 ms is above p99 4 ms"},
        ),
        ({"nodes/0/count": 2.5}, {"#/nodes/0/count": "must be a whole number"}),
        ({"nodes/0/hourly_usd": 0.532}, {"#/nodes/0/hourly_usd": 'must be a string such as "0.532": money is decimal'}),
        ({"measured_at": "2015-09-01T12:00:00"}, {"#/measured_at": "needs a time zone, such as a closing Z"}),
        ({"source_url": "javascript:alert(1)"}, {"#/source_url": "must be an http:// or https:// address"}),
        ({"title": "a\u0000b"}, {"#/title": "must not contain control characters"}),
        ({"title": 7}, {"#/title": "must be a string"}),
        ({"title": "x" * 301}, {"#/title": "must not have more than 300 characters"}),
        (
            {"workload/operations": {"read": 0.5, "write": 0.2}},
            {"#/workload": "the shares of operations sum to 0.7, not to 1"},
        ),
    ],
)
def test_a_document_with_one_fault_names_it(caller, faults, changes, expected):
    given = {path: value for path, value in changes.items() if path != "a/b~c"}
    body = document(given)
    if "a/b~c" in changes:
        body["a/b~c"] = 1

    assert faults(caller.submit(body)) == expected


def test_every_fault_of_a_document_is_named_at_once(caller, faults):
    body = document({"provider": ..., "colour": "blue", "trials/0/errors": -1})

    assert set(faults(caller.submit(body))) == {"#/provider", "#/colour", "#/trials/0/errors"}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   ",
        b"{",
        b"not json",
        b"\xff\xfe\x00",
        json.dumps(document()).encode("utf-16"),
        b'{"provider": "\xc3\x28"}',
        b"NaN",
        NESTED,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b"null",
        b"[]",
        b'"text"',
        b"12",
        b'{"provider": "aws"',
        b'{"provider": "aws"} {"provider": "aws"}',
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_what_is_no_json_object_is_refused(caller, faults, raw):
    assert caller.submit(raw).status_code == 400
    assert faults(caller.submit(raw))


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"1" * 5_000, b"0x10", b"01", b".5"])
def test_numbers_that_json_does_not_know_or_no_column_holds_are_refused(caller, faults, number):
    assert faults(caller.submit(with_settings(number)))
    replaced = json.dumps(document({"trials/0/throughput_ops_s": 123454321})).encode()
    assert faults(caller.submit(replaced.replace(b"123454321", number)))


@pytest.mark.parametrize(
    "raw",
    [
        b'"\\u0000"',
        b'"\\ud800"',
        b'"\\udc00\\ud800"',
        b'{"\\u0000": 1}',
        b'{"\\ud800": 1}',
        b"{" + b'"a":{' * 20 + b"}" * 21,
    ],
)
def test_settings_that_no_column_holds_are_refused(caller, faults, raw):
    assert faults(caller.submit(with_settings(raw)))


def test_a_text_of_10_mb_is_refused_by_its_size(caller, faults):
    response = caller.submit(document({"notes": "x" * 10_000_000}))

    assert faults(response, 413) == {"#": "the body is over 5,242,880 bytes"}


def test_a_text_of_3_mb_is_refused_at_its_place(caller, faults):
    response = caller.submit(document({"notes": "x" * 3_000_000}))

    assert faults(response) == {"#/notes": "must not have more than 20000 characters"}


def test_a_hundred_and_one_trials_are_too_many(caller, faults):
    body = document()
    body["trials"] *= 101

    assert faults(caller.submit(body)) == {"#/trials": "has more than 100 entries"}


def test_a_key_given_twice_is_no_crash(caller, faults):
    response = caller.submit(b'{"provider": "aws", "provider": 5}')

    assert faults(response)["#/provider"] == "must be a string"


def test_a_relative_throughput_is_not_for_uploads(caller, faults):
    body = document(
        {"trials/0/throughput_ops_s": ..., "trials/0/relative_throughput": 1.2, "relative_base": "MySQL = 1"}
    )

    assert faults(caller.submit(body)) == {"#/trials/0/throughput_ops_s": "is required"}


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x" * 300]
)
def test_another_content_type_is_415(caller, faults, content_type):
    response = caller.post(BASE, document(), content_type=content_type)

    assert "#" in faults(response, 415)


def test_a_format_that_is_only_for_reading_is_406(caller, faults):
    assert faults(caller.submit(document(), "?format=csv"), 406) == {"#": "format must be one of json"}


def test_another_method_is_405(caller, faults):
    response = caller.client.put(BASE, b"{}", content_type="application/json", **caller.headers)

    assert "#" in faults(response, 405)
    assert set(response["Allow"].split(", ")) == {"GET", "POST", "HEAD", "OPTIONS"}
