"""Signed statements: the envelope, the keys of a site, and whether one of them signed it."""

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import Key as PublicKey
from securesystemslib.signer import SSlibKey

from benchsite_cli.config import Login
from benchsite_cli.errors import Failure
from benchsite_cli.site import Site

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
BUNDLE = "urn:benchsite:bundle:v1"
RECEIPT = "urn:benchsite:receipt:v1"
_END = "-----END PUBLIC KEY-----"


class NotVerified(Exception):
    """Why nothing that the statement says can be believed."""


@dataclass(frozen=True, slots=True)
class Key:
    """`origin` is where it came from: a file, or the address of a site."""

    key_id: str
    public: Ed25519PublicKey
    origin: str
    revoked_at: str | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """A statement and the key that signed it."""

    statement: dict[str, Any]
    key: Key

    @property
    def predicate(self) -> dict[str, Any]:
        content: dict[str, Any] = self.statement["predicate"]
        return content


def keys_of_file(path: Path) -> list[Key]:
    """All public keys of a PEM file. Raises Failure."""
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{path} cannot be read: {error}") from error
    blocks = [f"{block}{_END}\n" for block in text.split(_END)[:-1]]
    if not blocks:
        raise Failure(f"{path} has no public key: it is a PEM file, such as /.well-known/benchsite-keys.pem of a site")
    return [_key(block, str(path)) for block in blocks]


def keys_of_site(url: str) -> list[Key]:
    """All keys that a site has ever signed with, revoked ones marked. Raises Failure."""
    with Site(Login(url)) as site:
        answer = site.get("keys/")
    try:
        return [_key(entry["public_key"], url, entry["revoked_at"]) for entry in answer["keys"]]
    except (KeyError, TypeError) as error:
        raise Failure(f"{url} lists no keys: is its version older than signed bundles?") from error


def verified(content: bytes, keys: Sequence[Key]) -> Signed:
    """The statement in an envelope, if one of the keys signed it. Raises NotVerified."""
    envelope = _envelope(content)
    by_id = {key.key_id: key for key in keys}
    public: list[PublicKey] = [SSlibKey.from_crypto(key.public, keyid=key.key_id) for key in by_id.values()]
    try:
        [key_id] = envelope.verify(public, 1)
    except VerificationError as error:
        raise NotVerified(_why(envelope, by_id)) from error
    key = by_id[key_id]
    if key.revoked_at:
        raise NotVerified(
            f"{key.origin} has revoked the key {key_id} (on {key.revoked_at}): its signature proves nothing"
        )
    return Signed(_statement(envelope.payload), key)


def claimed_site(content: bytes) -> str | None:
    """The site that an envelope names, which proves nothing; for a hint."""
    try:
        site = json.loads(_envelope(content).payload)["predicate"]["site"]
    except (NotVerified, ValueError, KeyError, TypeError):
        return None
    return site if isinstance(site, str) and site.isprintable() else None


def _key(pem: str, origin: str, revoked_at: str | None = None) -> Key:
    try:
        public = load_pem_public_key(pem.strip().encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Failure(f"{origin} has a key that cannot be read: {error}") from error
    if not isinstance(public, Ed25519PublicKey):
        raise Failure(f"{origin} has a key that is not Ed25519")
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Key(hashlib.sha256(der).hexdigest(), public, origin, revoked_at)


def _envelope(content: bytes) -> Envelope:
    """Raises NotVerified."""
    try:
        parsed = json.loads(content)
        for part in (parsed["payload"], *(signature["sig"] for signature in parsed["signatures"])):
            base64.b64decode(part, validate=True)
        envelope = Envelope.from_dict(parsed)
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error, RecursionError) as error:
        raise NotVerified(f"the statement is no signed envelope ({type(error).__name__})") from error
    if envelope.payload_type != PAYLOAD:
        raise NotVerified("the signed envelope holds no in-toto statement")
    return envelope


def _why(envelope: Envelope, by_id: dict[str, Key]) -> str:
    signers = sorted(envelope.signatures)
    if not signers:
        return "the statement is not signed"
    if known := [key_id for key_id in signers if key_id in by_id]:
        return f"the statement was changed after it was signed: the signature of key {known[0]} does not fit"
    origins = ", ".join(sorted({key.origin for key in by_id.values()})) or "nowhere"
    return f"the statement is signed with the key {signers[0][:64]!r}, which is none of the keys of {origins}"


def _statement(payload: bytes) -> dict[str, Any]:
    """Of a site's own signature: its form is checked, not its purpose. Raises NotVerified."""
    try:
        statement = json.loads(payload)
        is_known = statement["_type"] == STATEMENT and isinstance(statement["predicate"], dict)
    except (ValueError, KeyError, TypeError) as error:
        raise NotVerified("the signed statement cannot be read") from error
    if not is_known or statement.get("predicateType") not in (BUNDLE, RECEIPT):
        raise NotVerified("the statement is of another kind than this version of the command knows")
    content: dict[str, Any] = statement
    return content
