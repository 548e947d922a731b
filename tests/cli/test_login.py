"""benchsite login: a token is checked before it is kept, for its owner alone."""

import json
import stat
from datetime import timedelta

import pytest


def test_a_good_token_is_kept_for_its_owner_alone_and_a_bad_one_is_not(
    benchsite, live_server, ada, monkeypatch, tmp_path
):
    from submissions.models import ApiToken

    for name in ("BENCHSITE_URL", "BENCHSITE_TOKEN"):
        monkeypatch.delenv(name)
    _, token = ApiToken.objects.create(user=ada, scopes=["submit"], name="ci", expiry=timedelta(days=30))
    config = tmp_path / "config" / "benchsite" / "config.json"

    refused = benchsite("login", live_server.url, "--token", "0" * 64)
    assert (refused.code, config.exists()) == (4, False)
    monkeypatch.setattr("benchsite_cli.commands.login.is_terminal", lambda: True)
    monkeypatch.setattr("benchsite_cli.commands.login.typer.prompt", lambda *_, hide_input, **__: hide_input and token)
    ended = benchsite("login", live_server.url)

    assert ended.code == 0, ended.err
    assert "as ada. Token “ci”: submit; expires" in ended.out
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert json.loads(config.read_text()) == {"url": live_server.url, "token": token}
    assert benchsite("export").code == 0
    lacks = benchsite("run", _plan(tmp_path))
    assert (lacks.code, "lacks the scope `run`" in lacks.err) == (4, True)


def test_without_a_login_it_says_how_to_log_in(benchsite, monkeypatch, tmp_path):
    monkeypatch.delenv("BENCHSITE_TOKEN")

    ended = benchsite("upload", _plan(tmp_path))

    assert ended.code == 2
    assert "benchsite login" in ended.err


def _plan(tmp_path):
    path = tmp_path / "plan.yaml"
    path.write_text("provider: fake\n")
    return path


@pytest.mark.django_db
def test_a_token_can_ask_what_it_may_do_and_a_session_is_told_to_send_one(client, django_user_model):
    from tests.factories import bearer

    user = django_user_model.objects.create(username="grace")

    answer = client.get("/api/v1/tokens/current/", **bearer(user, ["run"]))
    client.force_login(user)

    assert (answer.json()["account"], answer.json()["scopes"]) == ("grace", ["run"])
    assert "token" not in answer.json()
    assert client.get("/api/v1/tokens/current/").status_code == 403
