"""The GitHub Action: its script as the runner starts it, against a running site; GitHub answers from this machine."""

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from tests.files import stress_log

CLI = Path(__file__).resolve().parents[2] / "cli"
COMMENTS = "/repos/octo/db/issues/7/comments"


class GitHub(BaseHTTPRequestHandler):
    """The comments of one pull request."""

    def do_GET(self):
        self._answer(200, self.server.comments if "page=1" in self.path.split("&") else [])

    def do_POST(self):
        self.server.comments.append({"id": len(self.server.comments) + 1, **self._body()})
        self._answer(201, self.server.comments[-1])

    def do_PATCH(self):
        number = int(self.path.rpartition("/")[2])
        self.server.comments[number - 1].update(self._body())
        self._answer(200, self.server.comments[number - 1])

    def _body(self):
        self.server.seen.add((self.command, self.path.split("?")[0], self.headers["Authorization"]))
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(self.server.status or status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def github():
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    server.comments, server.seen, server.status = [{"id": 1, "body": "Nice"}], set(), None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def action(live_server, ada, github, tmp_path):
    """A function: the last step of action.yml, with its own variables, as the runner fills them in."""
    from tests.factories import make_token

    [*_, step] = yaml.safe_load((CLI / "action.yml").read_text())["runs"]["steps"]
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    of_the_job = {
        "GITHUB_API_URL": f"http://127.0.0.1:{github.server_port}",
        "GITHUB_REPOSITORY": "octo/db",
        "GITHUB_EVENT_PATH": event,
        "GITHUB_OUTPUT": tmp_path / "output",
        "GITHUB_STEP_SUMMARY": tmp_path / "summary",
        "RUNNER_TEMP": tmp_path,
        "PYTHONPATH": CLI / "src",
        "HOME": tmp_path,
        "PATH": os.environ["PATH"],
    }
    (tmp_path / "benchsite-cli" / "bin").mkdir(parents=True)
    python = tmp_path / "benchsite-cli" / "bin" / "python"  # where the step before installs it
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    token = make_token(ada)

    def run(files, **inputs):
        given = {"url": live_server.url, "token": token, "files": files, "baseline": "auto", "github-token": "t0"}
        given |= {"arguments": '--aws "3x m5.xlarge us-east-1" --service cassandra', **inputs}
        variables = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given.get(match[1], ""), text)
            for name, text in step["env"].items()
        }
        environment = {name: str(value) for name, value in {**of_the_job, **variables}.items()}
        return subprocess.run(["bash", "-c", step["run"]], env=environment, capture_output=True, text=True)

    return run


def test_it_uploads_compares_and_keeps_one_comment(action, github, tmp_path):
    from submissions.models import Submission

    log = tmp_path / "nightly.log"
    log.write_bytes(stress_log("cs50-10-3node").read_bytes())

    first = action(str(log))
    log.write_bytes(log.read_bytes().replace(b"194.6", b"395.6"))
    second = action(f"{tmp_path}/night*.log\n", **{"fail-if-worse": "5%"})
    bad = action(f"{tmp_path}/*.log\n{stress_log('cs50-16')}")

    assert (first.returncode, second.returncode, bad.returncode) == (0, 0, 1), first.stderr + second.stderr + bad.stderr
    old, new = Submission.objects.order_by("pk")
    assert len(github.comments) == 2
    body = github.comments[1]["body"]
    assert body.startswith("<!-- benchsite: benchsite -->")
    assert "refused" in body
    assert "the tool says" in body
    summary = (tmp_path / "summary").read_text()
    assert "No earlier result to compare with" in summary
    assert f"**[#{new.pk}]" in summary
    assert f"against [#{old.pk}]" in summary
    assert "| p99 latency | 2.033 |" in summary
    assert f"submissions={new.pk}\nverdict=ok" in (tmp_path / "output").read_text()
    assert github.seen == {
        ("POST", COMMENTS, "Bearer t0"),
        ("PATCH", "/repos/octo/db/issues/comments/2", "Bearer t0"),
    }
    github.status = 403
    forbidden = action(str(log), **{"inconclusive-ok": "true", "fail-if-worse": "5%"})
    assert (forbidden.returncode, "::warning::No comment" in forbidden.stdout) == (0, True), forbidden.stderr


def test_every_input_of_the_action_is_read_by_its_script():
    action = yaml.safe_load((CLI / "action.yml").read_text())
    script = (CLI / "src" / "benchsite_cli" / "commands" / "github.py").read_text()
    variables = action["runs"]["steps"][-1]["env"]

    passed = {re.search(r"inputs\.([\w-]+)", text)[1] for text in variables.values()}
    read = {f"INPUT_{name}" for name in re.findall(r'_input\("(\w+)"\)', script)}

    assert passed == set(action["inputs"])
    assert set(variables) == read | {"BENCHSITE_URL", "BENCHSITE_TOKEN"}
