from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.utils import timezone

from submissions.choices import NO_CAPACITY_FLAGS, Flag, Trust, Visibility
from submissions.models import HAS_RATE, IS_EXCLUDED, Submission
from tests.factories import SubmissionFactory, UserFactory

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
        assert Submission(flags=[flag]).is_excluded == (flag in NO_CAPACITY_FLAGS)
    assert not Submission(flags=[]).is_excluded


def test_a_trust_filter_takes_its_level_and_the_higher_ones():
    by_trust = {trust: SubmissionFactory(trust=trust) for trust in Trust}
    with_log = {Trust.LOG_VERIFIED, Trust.RUN_BY_OWNER, Trust.RUN_BY_US, Trust.REPRODUCED}

    assert names(Submission.objects.trust_filtered(None), by_trust) == with_log
    assert names(Submission.objects.trust_filtered(Trust.LOG_VERIFIED), by_trust) == with_log
    assert names(Submission.objects.trust_filtered(Trust.UPLOADED), by_trust) == {Trust.UPLOADED, *with_log}
    assert names(Submission.objects.trust_filtered(Trust.REPRODUCED), by_trust) == {Trust.REPRODUCED}
    assert names(Submission.objects.trust_filtered(Trust.HISTORICAL), by_trust) == {Trust.HISTORICAL}


def test_the_default_trust_filter_takes_historical_results_of_a_workload_without_a_log():
    by_name = {
        "article": SubmissionFactory(trust=Trust.HISTORICAL),
        "upload": SubmissionFactory(trust=Trust.UPLOADED),
        "flagged": SubmissionFactory(flags=[Flag.TRUNCATED]),
    }

    assert names(Submission.objects.rankable().trust_filtered(None), by_name) == {"article"}


def test_the_results_of_a_workload_are_found_by_its_fingerprint(rows):
    row = rows["plain"]
    assert row in Submission.objects.of_workload(row.workload.fingerprint)
    assert not Submission.objects.of_workload("0" * 16).exists()


def test_the_best_value_comes_first_and_the_unpriced_last():
    cheap, dear, unpriced = (SubmissionFactory(hourly_usd=usd) for usd in (Decimal(1), Decimal(2), None))
    assert list(Submission.objects.by_value()) == [cheap, dear, unpriced]


@pytest.fixture
def by_visibility():
    """Of one owner, by name; an embargo ends in the past or in the future."""
    owner, now, day = UserFactory(), timezone.now(), timedelta(days=1)
    changes = {
        "public": {},
        "retracted": {"retracted_at": now},
        "hidden": {"hidden_at": now},
        "unlisted": {"visibility": Visibility.UNLISTED, "link_key": "first"},
        "private": {"visibility": Visibility.PRIVATE},
        "public later": {"embargo_until": now + day},
        "unlisted, public later": {
            "visibility": Visibility.UNLISTED,
            "embargo_until": now + day,
            "link_key": "second",
        },
        "unlisted and hidden": {"visibility": Visibility.UNLISTED, "hidden_at": now, "link_key": "third"},
        "private, public now": {"visibility": Visibility.PRIVATE, "embargo_until": now - day},
    }
    return {name: SubmissionFactory(submitted_by=owner, **change) for name, change in changes.items()}


def test_only_what_is_public_now_is_published(by_visibility):
    rows = by_visibility
    assert names(Submission.objects.published(), rows) == {"public", "private, public now"}
    assert names(Submission.objects.with_retracted(), rows) == {"public", "private, public now", "retracted"}
    assert {name for name, row in rows.items() if row.is_public and not row.hidden_at} == names(
        Submission.objects.with_retracted(), rows
    )


def test_a_stranger_opens_an_unlisted_one_by_the_key_of_its_link_and_never_a_private_or_hidden_one(by_visibility):
    public = {"public", "private, public now", "retracted"}
    for stranger in (AnonymousUser(), UserFactory()):
        assert names(Submission.objects.visible_to(stranger), by_visibility) == public
        assert names(Submission.objects.by_link(stranger), by_visibility) == public
        assert names(Submission.objects.by_link(stranger, ["first", "third"]), by_visibility) == public | {"unlisted"}
        assert names(Submission.objects.by_link(stranger, ["second"]), by_visibility) == public | {
            "unlisted, public later"
        }


def test_an_owner_and_a_moderator_see_each(by_visibility):
    moderator = UserFactory()
    moderator.user_permissions.add(Permission.objects.get(codename="change_submission"))
    for person in (by_visibility["public"].submitted_by, moderator):
        assert names(Submission.objects.visible_to(person), by_visibility) == set(by_visibility)
        assert names(Submission.objects.by_link(person), by_visibility) == set(by_visibility)


def test_what_awaits_a_moderator_or_was_taken_from_the_boards_is_listed_and_not_ranked():
    now, day = timezone.now(), timedelta(days=1)
    rows = {
        "ranked": SubmissionFactory(unranked_until=now - day),
        "waiting": SubmissionFactory(unranked_until=now + day),
        "unranked": SubmissionFactory(unranked_at=now),
    }
    assert names(Submission.objects.published(), rows) == set(rows)
    assert names(Submission.objects.rankable(), rows) == {"ranked"}
