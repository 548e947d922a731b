"""The second factor of an account: a code from an authenticator app, or a recovery code."""

import base64
import hashlib
import logging
from urllib.parse import urlsplit

import qrcode
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.mfa.utils import is_mfa_enabled
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from qrcode.image.svg import SvgPathFillImage

log = logging.getLogger(__name__)


def lacks_second_factor(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether this account must set up a second factor before it may administer the site."""
    return settings.STAFF_NEEDS_SECOND_FACTOR and not is_mfa_enabled(user)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Stores the secrets encrypted: who reads the database, or a backup without its key, cannot compute codes."""

    def encrypt(self, text: str) -> str:
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return _fernet().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            # no code is right then; an operator removes the factor, and its owner sets up a new one
            log.warning("a second factor cannot be read: SECRET_KEY has changed since it was set up")
            return str(generate_totp_secret())

    def build_totp_svg(self, url: str) -> str:
        """The picture for a phone, on white: a dark page would swallow it."""
        return str(qrcode.make(url, image_factory=SvgPathFillImage).to_string(encoding="unicode"))

    def get_totp_issuer(self) -> str:
        return f"Benchsite {urlsplit(settings.SITE_URL).hostname}"


def _fernet() -> Fernet:
    digest = hashlib.sha256(b"benchsite.keys.second_factor:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
