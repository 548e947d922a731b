"""The calls of the API guide work as they are printed, against a running site."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.factories import SubmissionFactory, UserFactory, bearer
from tests.files import DATA

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
CALLS = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
LOG = DATA / "cassandra-stress" / "cs50-10-3node-write-rf3-quorum.log"

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@pytest.fixture
def call(live_server, tmp_path):
    """A function: the JSON answer of a call of the guide, run by a shell beside the log that it names."""
    token = bearer(UserFactory(), ("submit",))["HTTP_AUTHORIZATION"].split()[1]
    shutil.copy(LOG, tmp_path / "stress.log")

    def call(number, **replaced):
        script = CALLS[number - 1]
        for old, new in replaced.items():
            script = script.replace(f"{old[0]}={old[1:]}", f"{old[0]}={new}")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "SITE": live_server.url, "TOKEN": token},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return call


def test_the_guide_has_five_calls():
    assert len(CALLS) == 5


@pytest.mark.django_db(transaction=True)
def test_each_reading_call_answers(call):
    first, second = SubmissionFactory(latency_p99_ms=4.0), SubmissionFactory(latency_p99_ms=5.0)

    found = call(1)
    value = call(2)
    compared = call(5, a1=first.pk, b2=second.pk)

    assert {row["id"] for row in found["results"]} == {first.pk, second.pk}
    assert value["groups"]
    assert (compared["a"], compared["b"]) == (first.pk, second.pk)


@pytest.mark.django_db(transaction=True)
def test_a_dry_run_says_what_the_upload_then_stores(call):
    checked = call(3)["submissions"][0]
    stored = call(4)["submissions"][0]

    assert checked["throughput_ops_s"] == stored["throughput_ops_s"] == pytest.approx(1067.6, abs=0.1)
    assert "id" not in checked
    assert stored["trust"] == "log_verified"
