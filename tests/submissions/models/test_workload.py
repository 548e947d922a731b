"""Workloads of before: their results get the fingerprints of today, and their old addresses still lead there."""

from importlib import import_module

import pytest
from django.apps import apps

from submissions.choices import Flag
from submissions.ingest.document.fingerprint import canonical, fingerprint_of
from submissions.ingest.document.submission import SubmissionDocument
from submissions.models import Submission, Trial, Workload
from tests.documents import document
from tests.factories import SubmissionFactory, WorkloadFactory

pytestmark = pytest.mark.django_db

COMMAND = "cassandra-stress user profile=a.yaml ops(x=1) -rate threads={} {}"


def hold_loads():
    import_module("submissions.migrations.0012_load_limits").hold_loads(apps, None)


def stored(command, threads, rate, mode="threads", **workload):
    """A row as an earlier release stored it: the command was hashed whole, and limits were in no column."""
    changes = {"workload/operations": ..., "workload/command": command, "workload/threads": threads}
    content = document({**changes, **{f"workload/{name}": value for name, value in workload.items()}})
    form = {**canonical(SubmissionDocument.model_validate(content)), "command": command, "load_mode": mode}
    row = WorkloadFactory(
        fingerprint=fingerprint_of(form), canonical=form, title=f"cassandra: cassandra-stress {command}, under 1 min"
    )
    row = SubmissionFactory(
        workload=row, document=content, throughput_ops_s=rate, threads=threads, load_mode=mode, hourly_usd="1.596"
    )
    Trial.objects.filter(submission=row).update(threads=None)
    return row


def now(row):
    return canonical(SubmissionDocument.model_validate(row.document))


def test_workloads_that_differed_in_threads_alone_are_merged_and_old_addresses_lead_to_the_one(client):
    few, many = stored(COMMAND.format(8, ""), 8, 9000.0), stored(COMMAND.format(64, ""), 64, 20_000.0)
    old = [row.workload.fingerprint for row in (few, many)]

    hold_loads()

    [workload] = Workload.objects.all()
    assert set(Submission.objects.values_list("workload", flat=True)) == {workload.pk}
    assert workload.canonical == now(few) == now(many)
    assert workload.fingerprint == fingerprint_of(now(few))
    assert workload.former_fingerprints == sorted(old)
    assert (
        workload.title == "cassandra: cassandra-stress cassandra-stress user profile=a.yaml ops(x=1) -rate, under 1 min"
    )
    assert sorted(Trial.objects.values_list("threads", flat=True)) == [8, 64]
    for fingerprint in old:
        here = f"/workloads/{fingerprint}/?by=provider"
        assert client.get(here).headers["Location"] == f"/workloads/{workload.fingerprint}/?by=provider"


def test_each_question_and_list_takes_an_old_fingerprint(client):
    row = stored(COMMAND.format(8, ""), 8, 9000.0)
    old = row.workload.fingerprint
    hold_loads()
    new = Workload.objects.get().fingerprint
    assert new != old

    for path in ("value", "leaderboard"):
        assert client.get(f"/api/v1/{path}/?workload={old}").json()["workload"] == new
    for path in ("value", "scaling", "recommend", "history", "compare/grid"):
        response = client.get(f"/{path}/?workload={old}", follow=True)
        assert response.status_code in (200, 404 if path == "recommend" else 200), path
    assert [result["id"] for result in client.get(f"/api/v1/submissions/?workload={old}").json()["results"]] == [row.pk]
    assert client.get(f"/?workload={old}").status_code == 200
    assert client.get("/workloads/0123456789abcdef/").status_code == 404


@pytest.mark.parametrize(
    ("command", "stated", "rate", "limits", "is_throttled", "mode"),
    [
        (COMMAND.format(8, "throttle=7000/s"), {}, 6971.0, (7000.0, None), True, "threads"),
        (COMMAND.format(8, "throttle=7000/s"), {}, 5000.0, (7000.0, None), False, "threads"),
        (COMMAND.format(8, "fixed=7000/s"), {}, 6971.0, (None, 7000.0), True, "fixed_rate"),
        (COMMAND.format(8, ""), {"fixed_rate_ops_s": 7000}, 7000.0, (None, 7000.0), True, "fixed_rate"),
        (COMMAND.format(8, ""), {}, 7000.0, (None, None), False, "threads"),
    ],
)
def test_limits_of_stored_rows_are_read_from_what_they_state(command, stated, rate, limits, is_throttled, mode):
    before = "fixed_rate" if stated else "threads"
    row = stored(command, 8, rate, before, **stated)

    hold_loads()
    row.refresh_from_db()

    assert (row.throttle_ops_s, row.fixed_rate_ops_s) == limits
    assert (Flag.THROTTLED in row.flags, row.ops_per_usd is None) == (is_throttled, is_throttled)
    assert row.load_mode == mode
    assert row.workload.canonical == now(row)
    assert row.workload.fingerprint == fingerprint_of(now(row))
    assert [trial.offered_ops_s for trial in row.trials.all()] == [limits[1]]


def test_a_rate_of_each_client_is_told_from_that_of_all_by_what_was_measured():
    each = stored(COMMAND.format(8, "throttle=7000/s"), 8, 13_900.0)
    Submission.objects.filter(pk=each.pk).update(client_count=2)

    hold_loads()
    each.refresh_from_db()

    assert (each.throttle_ops_s, each.flags) == (14_000.0, [Flag.THROTTLED])


def test_a_second_time_changes_nothing():
    stored(COMMAND.format(8, "fixed=7000/s"), 8, 6971.0)
    hold_loads()
    before = list(Submission.objects.values()), list(Workload.objects.values())

    Submission.objects.update(flags=[])
    hold_loads()

    after = list(Submission.objects.values()), list(Workload.objects.values())
    assert [{**row, "changed_at": None} for row in after[0]] == [{**row, "changed_at": None} for row in before[0]]
    assert after[1] == before[1]
