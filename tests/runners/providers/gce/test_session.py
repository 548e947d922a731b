"""Credentials: what the SDK finds, or a service account that it may act as; no key and no token is ever kept."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import iam
from google.auth.transport.requests import Request

from runners.providers.base import NotAllowed, TryAgain
from runners.providers.gce import session
from runners.providers.gce.provider import GceProvider
from runners.providers.gce.traits import Site
from tests.runners.providers.contract import order_for

ROBOT = "bench@project.iam.gserviceaccount.com"


@pytest.fixture
def issuer():
    """Google's token and IAM services on loopback: notes who asks for what."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            content = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.path, self.headers.get("Authorization"), content))
            if self.path == "/token":
                answer = {"access_token": "the-sites-token", "expires_in": 3600, "token_type": "Bearer"}
            else:
                answer = {"accessToken": "the-robots-token", "expireTime": "2099-01-01T00:00:00Z"}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = seen
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def own_credentials(issuer, tmp_path, monkeypatch):
    """A service account's file, found by the SDK's own chain; its issuer is on loopback."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    info = {
        "type": "service_account",
        "project_id": "project",
        "private_key_id": "k",
        "private_key": text,
        "client_email": "site@project.iam.gserviceaccount.com",
        "token_uri": f"{issuer.address}/token",
    }
    path = tmp_path / "credentials.json"
    path.write_text(json.dumps(info))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    monkeypatch.setattr(iam, "_IAM_ENDPOINT", f"{issuer.address}/{{}}:generateAccessToken")


def token_of(found):
    found.refresh(Request())
    return found.token


def test_without_impersonation_the_sdks_own_credentials_sign(issuer, own_credentials):
    assert token_of(session.credentials(None)) == "the-sites-token"
    assert [path for path, _, _ in issuer.seen] == ["/token"]


def test_a_service_account_is_impersonated_with_the_sites_own_token(issuer, own_credentials):
    assert token_of(session.credentials(ROBOT)) == "the-robots-token"

    path, authorization, content = issuer.seen[-1]
    assert path == f"/{ROBOT}:generateAccessToken"
    assert authorization == "Bearer the-sites-token"
    assert json.loads(content) == {
        "delegates": None,
        "scope": ["https://www.googleapis.com/auth/compute"],
        "lifetime": "3600s",
    }


def test_a_token_is_asked_for_at_the_first_call_only(issuer, own_credentials):
    session.credentials(ROBOT)

    assert issuer.seen == []


def test_a_site_without_credentials_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))

    with pytest.raises(NotAllowed, match="this site has no usable Google Cloud credentials"):
        GceProvider(Site("site-a", "project")).machines("run-1", "us-central1")


def test_a_cloud_that_cannot_be_reached_is_worth_another_try():
    with pytest.raises(TryAgain, match="GCE did not answer: ConnectionError"):
        GceProvider(Site("site-a", "project", endpoint="http://127.0.0.1:1")).leftovers(None)


def test_a_lab_is_asked_without_credentials(cloud, monkeypatch, tmp_path):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))

    assert GceProvider(cloud.site(impersonate=ROBOT)).leftovers(None) == []


def test_tokens_are_shared_by_all_providers_of_a_process():
    assert session.clients(ROBOT, None) is session.clients(ROBOT, None)
    assert session.clients(ROBOT, None) is not session.clients(None, None)


def test_the_registry_makes_the_sites_provider(cloud, settings):
    from runners.providers.registry import provider_for

    settings.RUN_PROVIDERS = ["gce"]
    settings.GCE_PROJECT, settings.GCE_ENDPOINT = "lab", cloud.api.endpoint

    launched = provider_for("gce").launch(order_for(cloud, databases=1, clients=0))

    assert [machine.zone for machine in launched] == ["us-central1-a"]
    assert {left.tag for left in provider_for("gce").leftovers(None)} == {"run-1"}
