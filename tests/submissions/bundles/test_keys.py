"""The site's keys: made once and private, listed for ever, replaced and revoked by a command."""

import base64
import hashlib
import io
import stat

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_public_key,
)
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from benchsite.env import ed25519, env
from benchsite.keys.signing_key import signing_key_file
from submissions.bundles.keys import signer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"


def keys(client):
    return client.get("/api/v1/keys/").json()["keys"]


def rotated(**options):
    out = io.StringIO()
    call_command("rotate_signing_key", stdout=out, **options)
    return out.getvalue()


def test_a_site_makes_its_key_when_it_is_needed_for_its_own_account_alone(settings, client):
    [listed] = keys(client)

    file = signing_key_file(settings.DATA_DIR)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert keys(client) == [listed]
    der = load_pem_public_key(listed["public_key"].encode()).public_bytes(
        Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    )
    assert listed["key_id"] == hashlib.sha256(der).hexdigest()
    assert "PRIVATE" not in str(listed)


def test_several_machines_share_the_key_of_a_setting(settings, client):
    private = Ed25519PrivateKey.generate()
    der = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    settings.SIGNING_KEY = ed25519(base64.b64encode(der).decode())

    assert signer().sign(b"x").signature == private.sign(b"x").hex()
    assert not signing_key_file(settings.DATA_DIR).exists()
    with pytest.raises(CommandError, match="SIGNING_KEY"):
        rotated()


def test_a_setting_that_is_no_such_key_stops_the_start_and_is_not_repeated(monkeypatch):
    monkeypatch.setenv("SIGNING_KEY", "c2VjcmV0")

    with pytest.raises(ImproperlyConfigured, match="Ed25519") as error:
        env("SIGNING_KEY", ed25519, default="")
    assert "c2VjcmV0" not in str(error.value)


def test_after_a_rotation_the_old_key_stays_listed(client):
    old = signer().public_key.keyid

    printed = rotated()

    new, before = keys(client)
    assert (new["is_current"], before["is_current"], before["key_id"]) == (True, False, old)
    assert before["revoked_at"] is None
    assert old in printed
    assert client.get("/.well-known/benchsite-keys.pem").content.decode() == new["public_key"] + before["public_key"]


def test_a_compromised_key_is_revoked_and_no_longer_in_the_file_of_keys(client):
    signer()
    rotated(compromised=True)

    new, before = keys(client)

    assert before["revoked_at"] is not None
    assert client.get("/.well-known/benchsite-keys.pem").content.decode() == new["public_key"]
    rotated()
    with pytest.raises(CommandError, match="signs with this key"):
        rotated(revoke=keys(client)[0]["key_id"])
    assert "revoked" in rotated(revoke=new["key_id"])
    with pytest.raises(CommandError, match="revoked before"):
        rotated(revoke=new["key_id"])
