"""The calls of the API guide work as they are printed, one after the other, on a new site."""

import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from submissions.api.reference.calls import CALLS
from tests.factories import PriceFactory, UserFactory, bearer
from tests.load_curves import curve

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
SCRIPTS = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
FIND, VALUE, COSTS, CHECK, UPLOAD, LIMIT, COMPARE, FOLLOW = range(len(SCRIPTS))

pytestmark = [
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
    pytest.mark.django_db(transaction=True, reset_sequences=True),  # a new site counts from 1
]


@pytest.fixture
def run(live_server, tmp_path):
    """A function: the JSON answers of these scripts, run by one shell as they are printed."""
    token = bearer(UserFactory(), ("submit",))["HTTP_AUTHORIZATION"].split()[1]

    def run(*scripts):
        answers = []
        for script in scripts:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=tmp_path,
                env={"PATH": "/usr/bin:/bin", "SITE": live_server.url, "TOKEN": token},
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert done.returncode == 0, done.stderr
            answers.append(json.loads(done.stdout))
        return answers

    return run


@pytest.fixture
def new_site(db):
    """What a site has after its first start, at the prices of then."""
    from submissions.ingest.published import load_published
    from tests.submissions.ingest.published.conftest import _record_prices

    _record_prices()
    load_published()
    PriceFactory(sku="m5.xlarge", usd="0.192", valid_from=date(2026, 1, 1))


@pytest.mark.usefixtures("new_site")
def test_every_call_answers_as_it_is_printed_on_a_new_site(run):
    answers = run(*SCRIPTS)

    found = answers[FIND]["results"]
    assert [row["id"] for row in found][:2] == [72, 71]
    assert answers[VALUE]["groups"]
    assert {cell["max_p99_ms"] for cell in answers[COSTS]["grid"]} == {5.0}
    [checked], [stored] = answers[CHECK]["submissions"], answers[UPLOAD]["submissions"]
    assert checked["throughput_ops_s"] == stored["throughput_ops_s"] == pytest.approx(9354.4, rel=1e-3)
    assert "id" not in checked
    assert (stored["service"], stored["trust"], stored["hourly_usd"]) == ("postgresql", "log_verified", "0.192")
    assert stored["ops_per_usd"] is not None
    assert answers[UPLOAD]["next"]["leaderboard"].endswith(f"/workloads/{stored['workload']}/")
    assert answers[LIMIT]["id"] == 72
    compared = answers[COMPARE]
    assert compared["same_workload"]
    assert compared["throughput"]["ratio"] == pytest.approx(111_394 / 90_748)
    assert answers[FOLLOW]["webhook_secret"]
    assert answers[FOLLOW]["workload"] == found[0]["workload"]
    assert (answers[FOLLOW]["threshold_percent"], answers[FOLLOW]["quiet_after_days"]) == (5, 8)


@pytest.mark.usefixtures("new_site")
def test_the_five_calls_are_those_of_the_reference_page(client, run):
    page = client.get("/api/docs/").content.decode()

    assert [call.title for call in CALLS] == [
        "Find results",
        "Ask a question",
        "Check an upload",
        "Upload",
        "Compare two results",
    ]
    assert page.count("<pre") >= len(CALLS)
    assert "export SITE=http://testserver" in page
    answers = run(*(call.script for call in CALLS))
    assert answers[3]["submissions"][0]["id"]


def test_a_limit_in_the_call_is_the_one_that_is_answered(run):
    row = curve()

    [answer] = run(SCRIPTS[LIMIT].replace("/submissions/72/", f"/submissions/{row.pk}/"))

    found = answer["at_slo"]
    assert (found["max_ms"], found["ops_s"], found["bracket"]) == (20.0, 110_000.0, [110_000.0, 130_000.0])
