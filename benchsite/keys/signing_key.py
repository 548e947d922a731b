"""The Ed25519 key with which the site signs what it gives away: of the setting SIGNING_KEY, else of a file.

The file is made when the key is first needed, with mode 0600, and is read each time: after a rotation every process
signs with the new key at once.
"""

import base64
import hashlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_pem_private_key,
)
from django.conf import settings

from benchsite.keys import private_files


def signing_key_file(data_dir: Path) -> Path:
    return data_dir / "signing_key.pem"


def current_key() -> Ed25519PrivateKey:
    """The private key; made where there is none yet."""
    if settings.SIGNING_KEY:
        return _key_of_setting(settings.SIGNING_KEY)
    file = signing_key_file(settings.DATA_DIR)
    if not file.exists():
        private_files.write_once(file, _pem(Ed25519PrivateKey.generate()))
    return _key_of_pem(file.read_text())


def stored_pem() -> str | None:
    """The private key as its file has it; None where nothing was signed yet."""
    if settings.SIGNING_KEY:
        return _pem(_key_of_setting(settings.SIGNING_KEY))
    file = signing_key_file(settings.DATA_DIR)
    return file.read_text() if file.exists() else None


def replace_key(pem: str | None = None) -> None:
    """Put this private key, or a new one, into the file. Raises ValueError where `pem` is none."""
    key = Ed25519PrivateKey.generate() if pem is None else _key_of_pem(pem)
    private_files.replace(signing_key_file(settings.DATA_DIR), _pem(key))


def _key_of_setting(text: str) -> Ed25519PrivateKey:
    """Of base64 of its DER form (PKCS #8), which the settings have checked."""
    key = load_der_private_key(base64.b64decode(text), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("SIGNING_KEY is not an Ed25519 key")
    return key


def public_pem(key: Ed25519PublicKey) -> str:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def key_id_of(key: Ed25519PublicKey) -> str:
    """The SHA-256 of the public key's DER form, in hexadecimal."""
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _pem(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _key_of_pem(text: str) -> Ed25519PrivateKey:
    key = load_pem_private_key(text.encode(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("the signing key is not an Ed25519 key")
    return key
