"""What became of each file where the site goes away, and of large logs, which a worker reads."""

import json

import httpx
import pytest

from benchsite_cli.commands.upload import send_files
from benchsite_cli.config import Login
from benchsite_cli.logs import publishing
from benchsite_cli.logs.files import collect
from benchsite_cli.metadata.clusters import Cluster
from benchsite_cli.metadata.facts import Facts
from benchsite_cli.site import Site

RESULT = {"tool": "pgbench", "title": "x", "throughput_ops_s": 5.0, "latency_p99_ms": None, "measured_at": None}
RESULT |= {"workload": "w", "service": "x", "service_version": None, "threads": 1}
RESULT |= {"fixed_rate_ops_s": None, "throttle_ops_s": None}
FACTS = Facts(cluster=Cluster("aws", 3, "m5.xlarge"), services={"": "postgresql"})


def site_of(publish, others=None):
    """A site that reads every log as alone, and answers an upload by `publish`."""

    def answer(request):
        body = request.read()
        if request.method == "GET":
            return others(request)
        if "dry_run" not in request.url.params:
            return publish(request)
        if body.count(b"filename=") > 1:
            return httpx.Response(400, json={"errors": [{"pointer": "#/log", "detail": "they differ"}]})
        return httpx.Response(200, json={"submissions": [RESULT]})

    return Site(Login("https://bench.example.org", "t"), sleep=lambda _: None, transport=httpx.MockTransport(answer))


@pytest.fixture
def logs(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.log").write_text(name)
    return collect([str(tmp_path)])


def test_a_site_that_goes_away_leaves_a_row_for_each_file(logs):
    left = [httpx.Response(201, json={"submissions": [{**RESULT, "id": 7}]})]

    outcome = send_files(site_of(lambda _: left.pop() if left else httpx.Response(503)), logs, FACTS)

    assert [row.outcome for row in outcome.rows] == ["published", "not_sent", "not_sent"]
    assert [each["id"] for each in outcome.results] == [7]
    assert outcome.exit_code == 4
    assert "503" in outcome.rows[2].reasons[0]


def test_a_large_log_is_waited_for(logs, monkeypatch):
    monkeypatch.setattr(publishing, "POLL_SECONDS", 0)
    states = [
        {"status": "running", "submissions": [], "errors": []},
        {"status": "done", "submissions": ["https://bench.example.org/submissions/9/?key=k"], "errors": []},
        {"status": "failed", "submissions": [], "errors": [{"pointer": "#/log/0", "detail": "is empty"}]},
    ]

    def others(request):
        is_status = "/uploads/" in request.url.path
        return httpx.Response(200, json=states.pop(0) if is_status else {**RESULT, "id": 9})

    accepted = httpx.Response(202, json={"status_url": "https://bench.example.org/api/v1/uploads/u/"})
    outcome = send_files(site_of(lambda _: accepted, others), logs[:2], FACTS)

    assert [row.outcome for row in outcome.rows] == ["published", "refused"]
    assert outcome.rows[1].reasons == ("is empty",)
    assert json.dumps(outcome.rows[0].as_json()["submissions"][0]["id"]) == "9"
