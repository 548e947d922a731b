"""The command line against a running site: its own HTTP, its own files, in the process of the test."""

import io
import json
import sys
from dataclasses import dataclass

import pytest

from tests.files import stress_log


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Terminal(io.StringIO):
    """Somebody at a terminal who types these lines."""

    def isatty(self):
        return True


@pytest.fixture
def ada(live_server):
    from tests.factories import VerifiedUserFactory

    return VerifiedUserFactory(username="ada")


@pytest.fixture
def benchsite(live_server, ada, monkeypatch, tmp_path, capsys):
    """A function: a command with its arguments, of ada's token with both scopes. `typed` makes it a terminal."""
    from benchsite_cli.app import main
    from tests.factories import make_token

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("BENCHSITE_URL", live_server.url)
    monkeypatch.setenv("BENCHSITE_TOKEN", make_token(ada, ("submit", "run"), "laptop"))
    monkeypatch.setenv("COLUMNS", "300")

    def run(*arguments, typed=None):
        if typed is not None:
            monkeypatch.setattr(sys, "stdin", Terminal(typed))
            monkeypatch.setattr("benchsite_cli.metadata.questions.is_terminal", lambda: True)
            monkeypatch.setattr("benchsite_cli.commands.run.is_terminal", lambda: True)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ended(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def site_bundle(client, db, tmp_path, settings):
    """The bytes of a bundle with a log, a sample file and a run, as the site sends them; keys.pem beside it."""
    from django.contrib.auth import get_user_model

    from runners.models import Run
    from submissions.models import Submission
    from tests.documents import metadata
    from tests.factories import ArtifactFactory, UserFactory
    from tests.runners.fake_runs import PLAN
    from tests.submissions.caller import Caller
    from tests.submissions.logs import form, log

    caller = Caller(client, UserFactory(username="demo"))
    answer = caller.upload(form(log(stress_log("cs50-01")), meta=metadata()))
    row = Submission.objects.get(pk=answer.json()["submissions"][0]["id"])
    ArtifactFactory(submission=row, name="samples.json", kind="other", content=b'{"cpu": 12}\n')
    receipt = {"machines": [], "never_launched": [], "total_usd": "1.23", "missing": "", "left": 0, "left_behind": []}
    owner = get_user_model().objects.get()
    run = Run.objects.create(
        owner=owner, provider="fake", plan=PLAN, max_usd=1, tag="x", submission=row, receipt=receipt
    )
    content = client.get(f"/api/v1/submissions/{row.pk}/bundle/").getvalue()
    (tmp_path / "receipt.json").write_bytes(client.get(f"/api/v1/runs/{run.pk}/receipt/").content)
    (tmp_path / "keys.pem").write_bytes(client.get("/.well-known/benchsite-keys.pem").content)
    return content


@pytest.fixture
def verify(tmp_path, capsys, monkeypatch):
    """A function: the exit code for these bytes, by the keys of keys.pem, and all that is printed."""
    from benchsite_cli.app import main

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("BENCHSITE_URL", raising=False)

    def run(content, *arguments, trusted=("--key", "keys.pem")):
        monkeypatch.chdir(tmp_path)
        file = tmp_path / "bundle.zip"
        file.write_bytes(content)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["verify", str(file), *trusted, *arguments])
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out + printed.err

    return run
