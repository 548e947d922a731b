"""The calls of the API guide work as they are printed, against a running site."""

import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tests.factories import PriceFactory, SubmissionFactory, UserFactory, WorkloadFactory, bearer
from tests.files import DATA
from tests.load_curves import curve

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
CALLS = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
LOG = DATA / "cassandra-stress" / "cs50-10-3node-write-rf3-quorum.log"

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@pytest.fixture
def call(live_server, tmp_path):
    """A function: the JSON answer of a call of the guide, run by a shell beside the log that it names."""
    token = bearer(UserFactory(), ("submit",))["HTTP_AUTHORIZATION"].split()[1]
    shutil.copy(LOG, tmp_path / "stress.log")

    def call(number, query=None, pk=7):
        script = CALLS[number - 1].replace("/submissions/7/", f"/submissions/{pk}/")
        if query is not None:
            script = re.sub(r"\?.*\"", f'?{query}"', script)
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


def test_the_guide_has_eight_calls():
    assert len(CALLS) == 8


@pytest.mark.django_db(transaction=True)
def test_each_reading_call_answers(call):
    first, second = SubmissionFactory(latency_p99_ms=4.0), SubmissionFactory(latency_p99_ms=5.0)
    PriceFactory(valid_from=date(2020, 1, 1))

    found = call(1)
    value = call(2)
    costs = call(3)
    compared = call(7, query=f"a={first.pk}&b={second.pk}")

    assert {row["id"] for row in found["results"]} == {first.pk, second.pk}
    assert value["groups"]
    assert {cell["max_p99_ms"] for cell in costs["grid"]} == {5.0}
    assert (compared["a"], compared["b"]) == (first.pk, second.pk)


@pytest.mark.django_db(transaction=True)
def test_a_limit_in_the_call_is_the_one_that_is_answered(call):
    row = curve()

    found = call(6, pk=row.pk)["at_slo"]

    assert (found["max_ms"], found["ops_s"], found["bracket"]) == (20.0, 110_000.0, [110_000.0, 130_000.0])


@pytest.mark.django_db(transaction=True)
def test_a_dry_run_says_what_the_upload_then_stores(call):
    PriceFactory(sku="m5.xlarge", usd="0.192", valid_from=date(2026, 1, 1))

    checked = call(4)["submissions"][0]
    stored = call(5)["submissions"][0]

    assert checked["throughput_ops_s"] == stored["throughput_ops_s"] == pytest.approx(1067.6, abs=0.1)
    assert "id" not in checked
    assert stored["trust"] == "log_verified"
    assert (stored["hourly_usd"], stored["price_date"]) == ("0.576", "2026-01-01")
    assert stored["ops_per_usd"] is not None


@pytest.mark.django_db(transaction=True)
def test_a_follow_answers_with_the_secret_of_its_webhook(call):
    SubmissionFactory(workload=WorkloadFactory(fingerprint="6f1c0a9be2d47a15"), provider="aws")

    follow = call(8)

    assert follow["webhook_secret"]
    assert (follow["threshold_percent"], follow["quiet_after_days"]) == (5, 8)
