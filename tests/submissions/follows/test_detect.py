"""What followed histories have: the history's own changes, each once, and none that it has no more."""

from datetime import timedelta

import pytest
from django.utils import timezone

from submissions.choices import LatencyKind
from submissions.follows import detect
from submissions.ingest.changes.retract import retract
from submissions.models import FollowedChange, LevelChange
from tests.factories import UserFactory
from tests.submissions.follows.histories import DAYS, before, begin, measure, noise, worse

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mails(sends):
    return sends


def states():
    return list(FollowedChange.objects.order_by("pk").values_list("change__metric", "state"))


def test_a_change_is_stored_with_its_size_and_its_results_as_the_history_says(client):
    first = before()[0]
    begin(first)
    after = worse()
    detect.check_workload(first.workload_id)

    change = LevelChange.objects.get()
    said = client.get(f"/api/v1/history/?like={first.pk}").json()["p99_changes"][0]

    assert (change.after, change.metric, change.is_better) == (after[0], "latency_p99_ms", False)
    assert change.percent == pytest.approx(12, abs=1)
    assert (change.percent, change.mean_before, change.mean_after) == (
        said["percent"], said["mean_before"], said["mean_after"]
    )  # fmt: skip
    assert (change.n_before, change.n_after) == (DAYS, DAYS)
    assert states() == [("latency_p99_ms", "pending")]


def test_the_same_change_is_one_however_often_it_is_checked_and_when_more_results_move_it():
    first = before()[0]
    begin(first)
    worse()
    for _ in range(2):
        detect.check_workload(first.workload_id)
    measure(noise(3, 8.1 * 1.12, seed=5), first_day=0)
    detect.check_workload(first.workload_id)

    assert LevelChange.objects.get().n_after > DAYS
    assert states() == [("latency_p99_ms", "pending")]


def test_what_was_there_before_is_not_notified():
    first = before()[0]
    worse(published=timezone.now() - timedelta(hours=1))
    begin(first)
    detect.check_workload(first.workload_id)

    assert states() == [("latency_p99_ms", "earlier")]


def test_an_import_of_old_results_is_not_notified():
    first = before()[0]
    begin(first)
    old = {"published": timezone.now() + timedelta(seconds=1)}
    measure(noise(20, 6.0), first_day=2000, **old)
    measure(noise(20, 9.0), first_day=1500, **old)
    detect.check_workload(first.workload_id)

    assert states() == [("latency_p99_ms", "old"), ("latency_p99_ms", "earlier")]


def test_noise_is_no_change():
    first = before()[0]
    begin(first)
    measure(noise(DAYS, 8.1, seed=3), first_day=DAYS)
    detect.check_workload(first.workload_id)

    assert not LevelChange.objects.exists()


def test_a_p99_of_unknown_kind_is_no_change():
    first = before(latency_kind=LatencyKind.UNKNOWN)[0]
    begin(first)
    worse(latency_kind=LatencyKind.UNKNOWN)
    detect.check_workload(first.workload_id)

    assert not LevelChange.objects.exists()


def test_other_clusters_are_other_histories_and_filters_choose_among_them():
    first = before()[0]
    before(provider="gce")
    of_all, of_gce = begin(first), begin(first, filters={"provider": ["gce"]})
    worse(provider="gce")
    detect.check_workload(first.workload_id)
    assert {(row.follow, row.state) for row in FollowedChange.objects.all()} == {
        (of_all, "pending"), (of_gce, "pending"),
    }  # fmt: skip

    worse()
    detect.check_workload(first.workload_id)
    assert (of_all.changes.count(), of_gce.changes.count()) == (2, 1)


def test_a_change_below_the_threshold_is_left_out():
    first = before()[0]
    careful, calm = (
        begin(first, threshold_percent=5),
        begin(first, UserFactory(), by_email=False, has_feed=True, threshold_percent=50),
    )
    worse()
    detect.check_workload(first.workload_id)

    assert (careful.changes.count(), calm.changes.count()) == (1, 0)


def test_a_retraction_withdraws_the_change():
    first = before()[0]
    begin(first)
    after = worse()
    detect.check_workload(first.workload_id)
    for row in after:
        retract(row, reason="a wrong disk")
    detect.check_workload(first.workload_id)

    assert LevelChange.objects.get().gone_at is not None
    assert not LevelChange.objects.seen().exists()


def test_a_workload_is_due_when_it_is_followed_and_when_a_row_of_it_was_added_or_retracted():
    first = before()[0]
    assert list(detect.due_workloads()) == []
    begin(first)
    assert list(detect.due_workloads()) == []

    new = measure([8.0], first_day=1)[0]
    assert list(detect.due_workloads()) == [first.workload_id]
    assert (detect.check_due(), detect.check_due()) == (1, 0)

    retract(new, reason="a wrong disk")
    assert list(detect.due_workloads()) == [first.workload_id]


def test_what_nobody_follows_is_not_looked_at():
    before()
    assert detect.check_due() == 0
