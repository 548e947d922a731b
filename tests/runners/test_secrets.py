"""Passwords and keys in a plan and in what its hosts print."""

import pytest

from benchsite.http.refusals import Refusal
from runners.creation import validated
from runners.models import RunOutput
from runners.providers import fake
from tests.runners.fake_runs import PLAN
from tests.submissions.ingest.secrets.credentials import WORD
from tests.submissions.upload.test_secrets import in_files, in_tables

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"title": f"postgresql://me:{WORD}@db"}, "#/title"),
        ({"settings": {"cassandra.yaml": {"keystore_password": WORD}}}, "#/settings/cassandra.yaml/keystore_password"),
        ({"workload": {**PLAN["workload"], "profile": f"password: {WORD}"}}, "#/workload/profile"),
    ],
)
def test_a_plan_with_a_password_is_refused_at_its_place(make_run, changes, pointer):
    with pytest.raises(Refusal) as caught:
        validated({**PLAN, **changes})

    assert [fault.pointer for fault in caught.value.faults] == [pointer]
    assert WORD not in str(caught.value)


def test_what_hosts_print_is_masked_in_the_live_log_and_in_the_storage(cloud, make_run, drive, artifacts_folder):
    log = cloud.plan["trial-0"].output
    cloud.plan["trial-0"] = fake.FakeJob(f"cassandra-stress user=a password={WORD}\n".encode() + log)

    run = drive(make_run())

    assert run.status == "succeeded", run.end_detail
    assert in_tables() == []
    assert in_files(artifacts_folder) == []
    output = RunOutput.objects.get(trial=0, kind="log", sha256__isnull=False)
    artifact = run.submission.artifacts.get(name=output.name)
    assert (artifact.sha256, artifact.original_sha256) == (output.sha256, output.original_sha256)
    assert output.original_sha256
    assert "secrets_masked" in run.submission.flags
