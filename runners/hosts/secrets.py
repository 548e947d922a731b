"""Private keys in the database: encrypted with a key derived from the site's secret."""

import base64
import hashlib

from cryptography.fernet import Fernet
from django.conf import settings


def seal(secret: bytes) -> bytes:
    return _fernet().encrypt(secret)


def unseal(sealed: bytes | memoryview) -> bytes:
    """The secret; cryptography.fernet.InvalidToken when the site's secret has changed since."""
    return _fernet().decrypt(bytes(sealed))


def _fernet() -> Fernet:
    digest = hashlib.sha256(b"benchsite.runners.secrets:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
