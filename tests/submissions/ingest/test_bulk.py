"""Bulk: each line stands or falls alone."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from submissions.ingest.bulk import BATCH_LINES, submit_lines
from submissions.models import Submission
from tests.documents import document

pytestmark = pytest.mark.django_db


def line(changes=None):
    return json.dumps(document(changes)).encode()


def told(outcome):
    return outcome.line, outcome.created, [(fault.pointer, fault.detail) for fault in outcome.faults]


def test_a_bad_line_does_not_harm_its_neighbours():
    lines = [line({"settings": {"name": "a"}}), line({"provider": ...}), line({"settings": {"name": "b"}})]

    outcomes = [told(outcome) for outcome in submit_lines(lines, submitted_by=None)]

    assert outcomes == [(1, True, []), (2, False, [("#/provider", "is required")]), (3, True, [])]
    assert Submission.objects.count() == 2


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"[" * 10_000 + b"]" * 10_000,
        b'"' + b"x" * (1024 * 1024) + b'"',
    ],
)
def test_what_is_no_document_is_refused_at_its_line(bad):
    [first, second] = submit_lines([bad, line()], submitted_by=None)

    assert (first.line, first.created, first.faults[0].pointer) == (1, False, "#")
    assert first.faults[0].detail
    assert second.created


def test_blank_lines_are_passed_over_but_counted():
    outcomes = list(submit_lines([b"\n", line(), b"  \n", b"{"], submitted_by=None))

    assert [outcome.line for outcome in outcomes] == [2, 4]


def test_answers_come_batch_by_batch_while_lines_still_arrive():
    taken = []

    def lines():
        for number in range(BATCH_LINES + 1):
            taken.append(number)
            yield line({"settings": {"number": str(number)}})

    answers = submit_lines(lines(), submitted_by=None)
    next(answers)

    assert len(taken) == BATCH_LINES


def test_the_same_line_twice_is_one_submission():
    first, second = submit_lines([line(), line()], submitted_by=None)

    assert (first.created, second.created) == (True, False)
    assert first.submission == second.submission


def test_a_hundred_lines_cost_no_more_queries_than_ten():
    list(submit_lines([line()], submitted_by=None))

    def queries(count):
        lines = [line({"settings": {"number": f"{number} of {count}"}}) for number in range(count)]
        with CaptureQueriesContext(connection) as captured:
            list(submit_lines(lines, submitted_by=None))
        return len(captured)

    assert queries(10) == queries(100)
