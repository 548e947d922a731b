"""The command line against a running site: its own HTTP, its own files, in the process of the test."""

import io
import json
import sys
from dataclasses import dataclass

import pytest


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
            monkeypatch.setattr("benchsite_cli.questions.is_terminal", lambda: True)
            monkeypatch.setattr("benchsite_cli.run.is_terminal", lambda: True)
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Ended(int(ended.value.code or 0), printed.out, printed.err)

    return run
