"""Results that are not for everyone, each full of words that are found nowhere else."""

import json
from dataclasses import dataclass
from datetime import timedelta

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.utils import timezone

from runners.models import Run, RunOutput, Series, SeriesCell
from submissions.choices import Trust, Visibility
from submissions.models import Submission, new_link_key
from tests.documents import metadata
from tests.factories import SubmissionFactory, UserFactory, WorkloadFactory
from tests.files import stress_log
from tests.runners.fake_runs import PLAN, kept_log

FIRST_NUMBER = 98_765_001  # of the ids: no other figure of a page looks like one
STATES = ("private", "hidden", "embargoed", "unlisted")


@dataclass(frozen=True)
class Secret:
    """`row` came from a log and has database and workload to itself; `rival` leads the workload of public results."""

    state: str
    row: Submission
    rival: Submission
    run: Run
    planned: Run | None  # without a result; None: a moderator hides results only
    log: RunOutput  # of a host of `run`
    series: Series  # of which `run` is one

    @property
    def word(self) -> str:
        return f"zq{self.state}"

    @property
    def link(self) -> str:
        """The query of an unlisted one's addresses; of the others empty."""
        return self.row.link_query

    @property
    def numbers(self) -> list[str]:
        return [str(self.row.pk), str(self.rival.pk)]


def keep_secret(state: str) -> Secret:
    """One of STATES, by an owner of its own, with a run."""
    owner = UserFactory(username=f"zq{state}user")
    change = _change(state)
    row = _imported(owner, state)
    rival = SubmissionFactory(
        submitted_by=owner,
        workload=WorkloadFactory(),
        title=f"zq{state} rival",
        notes=f"zq{state} rival notes",
        service_version=f"zq{state}1",
        instance_type=f"zq{state}.large",
        cpu_model=f"zq{state} cpu",
        throughput_ops_s=9_000_000.0,
        trust=Trust.LOG_VERIFIED,
    )
    Submission.objects.filter(pk__in=[row.pk, rival.pk]).update(**change)
    for each in (row, rival) if state == "unlisted" else ():
        Submission.objects.filter(pk=each.pk).update(link_key=new_link_key())
    row.refresh_from_db()
    rival.refresh_from_db()
    plan = {**PLAN, "title": f"zq{state} run"}
    shown_to = {name: value for name, value in change.items() if name in ("visibility", "embargo_until")}
    runs = [
        Run.objects.create(
            owner=owner,
            provider="fake",
            plan=plan,
            max_usd=1,
            tag=f"zq{state}{result and 1}",
            receipt=_receipt(state),
            submission=result,
            **shown_to,
        )
        for result in ([row, None] if shown_to else [row])
    ]
    log = kept_log(runs[0], f"zq{state} log\n".encode())
    series = _series_of(runs[0], shown_to)
    return Secret(state, row, rival, runs[0], runs[1] if len(runs) > 1 else None, log, series)


def _series_of(run, shown_to):
    """Public where a moderator hid the result alone: it has another owner, and shows nothing of the run."""
    series = Series.objects.create(
        owner=run.owner if shown_to else UserFactory(),
        title=run.plan["title"] if shown_to else "two thread counts",
        plan=PLAN,
        vary=[{"fields": ["workload.threads"], "values": [[16], [32]]}],
        repetitions=1,
        max_usd=1,
        max_minutes=60,
        estimate={"cells": [], "runs": 2, "expected_usd": None, "worst_case_usd": None, "warnings": []},
        **shown_to,
    )
    for place, threads in enumerate((16, 32)):
        SeriesCell.objects.create(
            series=series,
            number=place,
            repetition=1,
            round=1,
            place=place,
            values={"workload.threads": threads},
            plan=run.plan,
            run=None if place else run,
        )
    return series


def _receipt(state: str) -> dict[str, object]:
    line = {"name": f"zq{state}-db-0", "instance_type": f"zq{state}.metal", "provider_id": f"i-zq{state}"}
    moments = {"from": "2026-11-20T06:00:00Z", "to": "2026-11-20T07:00:00Z"}
    machine = {**line, "role": "database", "zone": None, **moments, "hourly_usd": "0.01", "usd": "0.01"}
    end = {"left": 0, "left_behind": [], "verified_at": "2026-11-20T07:00:00Z"}
    return {"machines": [machine], "never_launched": [], "total_usd": "0.01", "missing": "", **end}


def number_from(first: int) -> None:
    """The next submission gets this id."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence('submissions_submission', 'id'), %s, false)", [first])


def _change(state: str) -> dict[str, object]:
    match state:
        case "hidden":
            return {"hidden_at": timezone.now()}
        case "embargoed":
            later = timezone.now() + timedelta(days=1)
            return {"embargo_until": later, "published_at": later}
    return {"visibility": Visibility(state), "published_at": None}


def _imported(owner, state):
    client = Client()
    client.force_login(owner)
    node = {"role": "database", "count": 3, "instance_type": f"zq{state}.metal", "hourly_usd": "0.01"}
    content = metadata(
        {
            "title": f"zq{state} title",
            "notes": f"zq{state} notes",
            "service": {"name": f"zq{state}db", "version": f"zq{state}2"},
            "nodes": [node],
            "source_url": f"https://example.org/zq{state}",
        }
    )
    log = SimpleUploadedFile(f"zq{state}.log", stress_log("cs50-10").read_bytes() + f"\n# {state}\n".encode())
    answer = client.post("/api/v1/submissions/import/", {"metadata": json.dumps(content), "log": log})
    assert answer.status_code == 201, answer.content
    return Submission.objects.get(pk=answer.json()["submissions"][0]["id"])
