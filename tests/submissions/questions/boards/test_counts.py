"""Which results are excluded from an answer, and the words for it."""

from decimal import Decimal

import pytest
from django.db.models import Q

from submissions.choices import Flag, LatencyKind
from submissions.models import Submission
from submissions.questions.boards.counts import Counts, count, excluded_sentence, excluded_words
from submissions.questions.boards.reasons import Reason
from tests.factories import SubmissionFactory

SERVICE, RESPONSE, UNKNOWN = LatencyKind.SERVICE_TIME, LatencyKind.RESPONSE_TIME, LatencyKind.UNKNOWN


@pytest.mark.django_db
def test_a_result_is_counted_under_the_first_reason_that_applies():
    SubmissionFactory(hourly_usd=Decimal(1))
    SubmissionFactory(hourly_usd=None)
    SubmissionFactory(hourly_usd=None, flags=[Flag.ERRORS])
    SubmissionFactory(hourly_usd=Decimal(1), flags=[Flag.ERRORS])

    counts = count(Submission.objects.with_rate(), [Reason.UNPRICED, Reason.FLAGGED], None)

    assert counts.excluded == {Reason.UNPRICED: 2, Reason.FLAGGED: 1}
    assert counts.usable == 1


@pytest.mark.django_db
def test_a_p99_limit_excludes_higher_p99s_other_kinds_and_unknown_p99s():
    for p99, kind in ((5.0, SERVICE), (15.0, SERVICE), (25.0, SERVICE), (5.0, RESPONSE), (5.0, UNKNOWN)):
        SubmissionFactory(latency_p99_ms=p99, latency_kind=kind)
    SubmissionFactory(latency_p99_ms=None, latency_kind=UNKNOWN)
    SubmissionFactory(latency_p99_ms=50.0, latency_kind=SERVICE, node_count=99)

    counts = count(
        Submission.objects.with_rate(),
        [Reason.AGED],
        None,
        conditions={Reason.AGED: Q(node_count=99)},
        max_p99_ms=10.0,
    )

    assert counts.latency_kind == SERVICE
    assert counts.p99_by_kind == {SERVICE: 3, RESPONSE: 1, UNKNOWN: 1}
    assert counts.excluded == {
        Reason.AGED: 1,
        Reason.UNKNOWN_P99: 1,
        Reason.OTHER_LATENCY_KIND: 2,
        Reason.ABOVE_LIMIT: 2,
    }


@pytest.mark.django_db
def test_without_a_limit_no_p99_is_needed():
    SubmissionFactory(latency_p99_ms=None, latency_kind=UNKNOWN)

    assert count(Submission.objects.with_rate(), [], None).excluded == {}
    assert count(Submission.objects.with_rate(), [], None, needs_p99=True).excluded == {
        Reason.UNKNOWN_P99: 1,
        Reason.OTHER_LATENCY_KIND: 0,
    }


@pytest.mark.parametrize(
    ("by_kind", "usual"),
    [
        ({}, UNKNOWN),
        ({UNKNOWN: 9}, UNKNOWN),
        ({UNKNOWN: 9, RESPONSE: 1}, RESPONSE),
        ({SERVICE: 1, RESPONSE: 2}, RESPONSE),
        ({RESPONSE: 2, SERVICE: 2}, SERVICE),
    ],
)
def test_the_usual_latency_kind_is_the_most_common_known_one(by_kind, usual):
    assert LatencyKind.usual(by_kind) == usual


def test_the_excluded_are_one_sentence():
    counts = Counts(
        usable=4321,
        latency_kind=SERVICE,
        p99_by_kind={SERVICE: 2000, RESPONSE: 1},
        own_reasons={Reason.FLAGGED: 3, Reason.RETRACTED: 0},
        needs_p99=True,
        max_p99_ms=12.5,
        above_limit=7,
    )

    assert excluded_words(counts) == [
        "3 with a data-quality flag",
        "1 with a p99 not known to be service time",
        "7 with a p99 above 12.5 ms",
    ]
    assert excluded_sentence(counts) == (
        "Excluded: 3 with a data-quality flag, 1 with a p99 not known to be service time "
        "and 7 with a p99 above 12.5 ms. Of 2,320 results the p99 is unknown."
    )


def test_nothing_excluded_is_no_sentence():
    assert excluded_sentence(Counts(1, SERVICE, {})) == ""
    assert excluded_sentence(Counts(1, SERVICE, {}, {Reason.UNPRICED: 1})) == "Excluded: 1 without a known price."
