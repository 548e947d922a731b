"""What an owner changes after storing: who sees it, what it supersedes, missing facts; everything is recorded."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchsite.http.refusals import Refusal
from submissions.choices import Trust, Visibility
from submissions.ingest.changes.change import change, publish_embargoed
from submissions.ingest.changes.retract import retract
from submissions.ingest.checks.reproduced_trust import look_for_reproductions, reproduced_by
from submissions.ingest.pipeline import prepare_document
from submissions.ingest.store.store import store
from submissions.models import Change, Submission
from submissions.records.cache import cached
from tests.documents import document
from tests.factories import SubmissionFactory, UserFactory, VerifiedUserFactory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def stored(changes=None, owner=None):
    return store(prepare_document(document(changes)), submitted_by=owner or UserFactory()).submission


def published():
    return set(Submission.objects.published())


def faults(submission, wanted):
    with pytest.raises(Refusal) as refused:
        change(submission, wanted, by=submission.submitted_by)
    return {fault.pointer: fault.detail for fault in refused.value.faults}


def test_visibility_and_embargo_are_no_part_of_the_content():
    until = "2031-01-02"
    plain = prepare_document(document())
    hidden = prepare_document(document({"visibility": "private", "embargo_until": until}))

    assert hidden.content_hash == plain.content_hash
    row = store(hidden, submitted_by=UserFactory()).submission
    row.refresh_from_db()
    assert (row.visibility, row.embargo_until.isoformat()) == ("private", "2031-01-02T00:00:00+00:00")
    assert not {"visibility", "embargo_until"} & row.document.keys()
    assert row.published_at == row.embargo_until


def test_a_strangers_equal_upload_is_one_of_its_own():
    private = stored({"visibility": "private"})
    unlisted = stored({"visibility": "unlisted"})
    other = store(prepare_document(document()), submitted_by=UserFactory())

    assert other.created
    assert len({private, unlisted, other.submission}) == 3
    again = store(prepare_document(document({"visibility": "private"})), submitted_by=private.submitted_by)
    assert (again.created, again.submission) == (False, private)


def test_a_hidden_result_answers_no_strangers_equal_upload():
    hidden = stored()
    Submission.objects.update(hidden_at=timezone.now())

    assert stored() != hidden


def test_an_unlisted_result_becomes_public_at_the_time_of_the_change():
    row = stored({"visibility": "unlisted"})
    assert (row.published_at, published()) == (None, set())

    changed = change(row, {"visibility": "public"}, by=row.submitted_by)

    assert published() == {row}
    assert changed.published_at > row.created_at
    [noted] = Change.objects.all()
    assert (noted.changed_by, noted.values) == (row.submitted_by, {"visibility": ["unlisted", "public"]})


def test_a_public_result_can_be_taken_back_for_a_day():
    row = stored()
    assert change(row, {"visibility": "private"}, by=row.submitted_by).published_at is None

    change(row, {"visibility": "public"}, by=row.submitted_by)
    Submission.objects.update(published_at=timezone.now() - DAY)
    assert "#/visibility" in faults(row, {"visibility": "unlisted"})
    assert "#/embargo_until" in faults(row, {"embargo_until": "2031-01-01"})
    assert published() == {row}


def test_an_embargo_ends_by_itself_and_cached_counts_notice(monkeypatch):
    row = stored({"embargo_until": (timezone.now() + DAY).isoformat()})

    def count():
        return cached(("how many",), lambda: Submission.objects.published().count())

    assert count() == 0
    ended = timezone.now() - timedelta(seconds=1)
    # as time does it: no method of ours that would note the change
    super(type(Submission.objects.all()), Submission.objects.filter(pk=row.pk)).update(
        embargo_until=ended, published_at=ended
    )
    assert count() == 1
    assert list(Submission.objects.newest()) == [row]


def pair(**second):
    facts = {"trials_count": 3, "trust": Trust.LOG_VERIFIED}
    first = SubmissionFactory(submitted_by=VerifiedUserFactory(), **facts)
    other = SubmissionFactory(submitted_by=VerifiedUserFactory(), **facts, **second)
    return first, other


def trust_of(*rows):
    return [Submission.objects.get(pk=row.pk).trust for row in rows]


def is_reproduced(*rows):
    return [trust == Trust.REPRODUCED for trust in trust_of(*rows)]


@pytest.fixture
def agree(monkeypatch):
    """Any two of them agree: the rule has tests of its own."""
    monkeypatch.setattr("submissions.ingest.checks.reproduced_trust.reproduce_each_other", lambda a, b, noise: True)


def test_a_private_result_reproduces_nothing_until_it_is_public(agree):
    first, private = pair(visibility=Visibility.PRIVATE, published_at=None)
    look_for_reproductions([private])
    assert is_reproduced(first, private) == [False, False]

    change(private, {"visibility": "public"}, by=private.submitted_by)

    assert is_reproduced(first, private) == [True, True]


def test_an_embargoed_result_reproduces_when_its_embargo_has_ended(agree):
    later = timezone.now() + DAY
    first, embargoed = pair(embargo_until=later, published_at=later)
    look_for_reproductions([embargoed])
    assert (publish_embargoed(), is_reproduced(first, embargoed)) == (0, [False, False])

    Submission.objects.filter(pk=embargoed.pk).update(embargo_until=timezone.now() - DAY)

    assert (publish_embargoed(), publish_embargoed()) == (1, 0)
    assert is_reproduced(first, embargoed) == [True, True]
    embargoed.refresh_from_db()
    assert (embargoed.visibility, embargoed.embargo_until) == (Visibility.PUBLIC, None)


def test_a_result_that_is_taken_back_reproduces_nothing_any_more(agree):
    first, second = pair()
    look_for_reproductions([second])
    assert is_reproduced(first, second) == [True, True]

    change(second, {"visibility": "private"}, by=second.submitted_by)

    assert is_reproduced(first, second) == [False, False]
    assert reproduced_by(first) == []


def test_a_superseded_result_leaves_the_lists_as_long_as_its_successor_is_public(agree):
    owner = UserFactory()
    old, new = stored(owner=owner), stored({"settings": {"cache": "2 GiB"}, "visibility": "private"}, owner=owner)

    change(new, {"supersedes": old.pk}, by=owner)
    assert published() == {old}
    change(new, {"visibility": "public"}, by=owner)
    assert published() == {new}
    retract(new, reason="worse after all")
    assert published() == {old}


def test_only_an_own_result_that_leads_to_no_circle_can_be_superseded():
    owner = UserFactory()
    a, b, c = (stored({"settings": {"name": name}}, owner=owner) for name in "abc")
    strangers = stored({"settings": {"name": "d"}})

    assert faults(a, {"supersedes": strangers.pk}) == {
        "#/supersedes": f"there is no submission {strangers.pk} of your own"
    }
    assert "#/supersedes" in faults(a, {"supersedes": a.pk})
    change(b, {"supersedes": a.pk}, by=owner)
    assert "#/supersedes" in faults(a, {"supersedes": b.pk})
    assert "already" in faults(c, {"supersedes": a.pk})["#/supersedes"]
    change(b, {"supersedes": None}, by=owner)
    assert published() == {a, b, c, strangers}


def test_a_missing_fact_is_added_and_the_old_document_kept():
    row = stored({"jdk": ..., "nodes/0/hourly_usd": ..., "network": ...})

    changed = change(row, {"jdk": {"version": "17"}, "nodes": [{"cpu_model": "Xeon"}, {}]}, by=row.submitted_by)

    assert (changed.jdk_version, changed.cpu_model) == ("17", "Xeon")
    assert changed.document["jdk"] == {"vendor": None, "version": "17"}
    assert changed.node_groups.get(position=0).cpu_model == "Xeon"
    [noted] = Change.objects.all()
    assert noted.document == row.document
    assert noted.values == {"#/jdk": [None, {"version": "17"}], "#/nodes/0/cpu_model": [None, "Xeon"]}
    assert (changed.throughput_ops_s, changed.content_hash) == (row.throughput_ops_s, row.content_hash)


def test_a_fact_of_the_workload_moves_the_result_to_the_right_one():
    row = stored({"workload/consistency_level": ...})
    right = stored({"settings": {"name": "complete"}}).workload

    changed = change(row, {"workload": {"consistency_level": "LOCAL_ONE"}}, by=row.submitted_by)

    assert changed.workload == right


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ({"region": "eu-west-1"}, "#/region"),
        ({"trials": [{"throughput_ops_s": 1}]}, "#/trials"),
        ({"nodes": [{"cpu_model": "Xeon"}]}, "#/nodes"),
        ({"colour": "blue"}, "#/colour"),
        ({"visibility": "secret"}, "#/visibility"),
        ({"embargo_until": "1999-01-01"}, "#/embargo_until"),
        ({"embargo_until": "9999-12-31T23:59:59-14:00"}, "#/embargo_until"),
        ({"supersedes": "1"}, "#/supersedes"),
        ({"nodes": [{"vcpus": "many"}, {}]}, "#/nodes/0/vcpus"),
    ],
)
def test_what_is_stated_or_cannot_be_is_refused_and_nothing_changes(wanted, pointer):
    row = stored({"jdk": ...})

    assert pointer in faults(row, {"jdk": {"version": "17"}, **wanted})

    row.refresh_from_db()
    assert (row.jdk_version, row.changed_at, Change.objects.count()) == (None, None, 0)


def test_facts_are_added_for_a_day_only():
    row = stored({"jdk": ...})
    Submission.objects.update(created_at=timezone.now() - DAY)
    row.refresh_from_db()

    assert "#" in faults(row, {"jdk": {"version": "17"}})


def test_a_retracted_one_is_not_changed():
    row = stored()
    retract(row, reason="wrong")
    assert "#" in faults(row, {"visibility": "private"})


def test_a_link_ends_when_the_result_is_no_longer_unlisted_and_another_one_begins():
    row = stored({"visibility": "unlisted", "jdk": ...})
    keys = [row.link_key]
    assert len(keys[0]) >= 22  # 128 bits

    changed = change(row, {"visibility": "unlisted", "jdk": {"version": "17"}}, by=row.submitted_by)
    assert changed.link_key == keys[0]
    assert change(row, {"visibility": "private"}, by=row.submitted_by).link_key is None
    keys.append(change(row, {"visibility": "unlisted"}, by=row.submitted_by).link_key)
    assert change(row, {"visibility": "public"}, by=row.submitted_by).link_key is None
    keys.append(change(row, {"visibility": "unlisted"}, by=row.submitted_by).link_key)

    assert len({*keys, None}) == 4
    assert not [key for key in keys for noted in row.changes.all() if key in str(noted.values)]
