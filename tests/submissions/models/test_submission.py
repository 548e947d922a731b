from decimal import Decimal

import pytest

from submissions.choices import EXCLUDING_FLAGS, Flag, Trust
from submissions.models import HAS_RATE, IS_EXCLUDED, Submission
from tests.factories import SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows():
    """By name: what differs in each."""
    return {
        "plain": SubmissionFactory(hourly_usd=Decimal(1)),
        "flagged": SubmissionFactory(hourly_usd=Decimal(1), flags=[Flag.SHORT]),
        "excluded": SubmissionFactory(hourly_usd=Decimal(1), flags=[Flag.SHORT, Flag.ERRORS]),
        "unpriced": SubmissionFactory(hourly_usd=None),
        "relative": SubmissionFactory(throughput_ops_s=None, relative_throughput=100, relative_base="native = 100"),
        "retracted": SubmissionFactory(hourly_usd=Decimal(1), retracted_at="2020-01-01T00:00Z"),
    }


def names(queryset, rows):
    found = set(queryset.values_list("pk", flat=True))
    return {name for name, row in rows.items() if row.pk in found}


def test_what_is_published_is_listed_without_its_long_columns(rows):
    assert names(Submission.objects.listed(), rows) == {"plain", "flagged", "excluded", "unpriced", "relative"}
    assert Submission.objects.listed()[0].get_deferred_fields() == {"document", "notes"}


def test_only_an_absolute_rate_that_no_flag_excludes_can_be_ranked(rows):
    assert names(Submission.objects.with_rate(), rows) == {"plain", "flagged", "excluded", "unpriced"}
    assert names(Submission.objects.rankable(), rows) == {"plain", "flagged", "unpriced"}
    assert names(Submission.objects.rankable().priced(), rows) == {"plain", "flagged"}


def test_the_conditions_for_counts_are_those_of_the_methods(rows):
    published = Submission.objects.published()
    assert names(published.filter(HAS_RATE & ~IS_EXCLUDED), rows) == names(Submission.objects.rankable(), rows)


def test_a_submission_knows_whether_its_flags_exclude_it():
    for flag in Flag:
        assert Submission(flags=[flag]).is_excluded == (flag in EXCLUDING_FLAGS)
    assert not Submission(flags=[]).is_excluded


def test_a_trust_level_includes_the_higher_ones():
    by_trust = {trust: SubmissionFactory(trust=trust) for trust in Trust}

    assert names(Submission.objects.at_least(Trust.LOG_VERIFIED), by_trust) == {
        Trust.LOG_VERIFIED,
        Trust.RUN_BY_US,
        Trust.REPRODUCED,
    }
    assert names(Submission.objects.at_least(None), by_trust) == set(Trust)


def test_the_results_of_a_workload_are_found_by_its_fingerprint(rows):
    row = rows["plain"]
    assert row in Submission.objects.of_workload(row.workload.fingerprint)
    assert not Submission.objects.of_workload("0" * 16).exists()


def test_the_best_value_comes_first_and_the_unpriced_last():
    cheap, dear, unpriced = (SubmissionFactory(hourly_usd=usd) for usd in (Decimal(1), Decimal(2), None))
    assert list(Submission.objects.by_value()) == [cheap, dear, unpriced]
