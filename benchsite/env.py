"""Reads one setting from the environment; a bad value stops the start and says what is wrong."""

import base64
import ipaddress
import os
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

REQUIRED: Any = object()
_ED25519_DER = bytes.fromhex("302e020100300506032b657004220420")  # RFC 8410: the 32 bytes of the key follow


def env(name: str, convert: Callable[[str], Any] = str, *, default: Any = REQUIRED) -> Any:
    """The converted value of the variable `name`, else of the file that `name`_FILE names, else `default`.

    `convert` says what is wrong by a ValueError. Raises ImproperlyConfigured for a bad value, and for a
    missing one without default. The value itself is not repeated: it may be a secret.
    """
    text = os.environ.get(name, "").strip()
    if path := os.environ.get(f"{name}_FILE", "").strip():
        if text:
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: keep one of them")
        text = _text_of(path, f"{name}_FILE")
    if not text:
        if default is REQUIRED:
            raise ImproperlyConfigured(f"{name} must be set: see .env.example")
        return default
    try:
        return convert(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is wrong: {error}") from None
    except ArithmeticError:  # Decimal's complaint; its text helps nobody
        raise ImproperlyConfigured(f"{name} is wrong: expected a number") from None


def _text_of(path: str, name: str) -> str:
    """Of a file that holds a secret: of Docker, Kubernetes or systemd, often with a newline at its end."""
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name} is wrong: {path} cannot be read: {error.strerror}") from None
    except ValueError:
        raise ImproperlyConfigured(f"{name} is wrong: {path} is not text") from None
    if not text:
        raise ImproperlyConfigured(f"{name} is wrong: {path} is empty")
    return text


def flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("expected 0 or 1")
    return text == "1"


def whole(text: str) -> int:
    """A whole number, 0 or more."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError("expected a whole number, 0 or more")
    return int(text)


def positive(text: str) -> int:
    """A whole number, 1 or more."""
    if not whole(text):
        raise ValueError("expected a whole number, 1 or more")
    return int(text)


def usd(text: str) -> Decimal:
    """An amount of money: decimal, finite, 0 or more."""
    amount = Decimal(text)
    if not amount.is_finite() or amount < 0:
        raise ValueError("expected an amount of USD, 0 or more")
    return amount


def label(text: str) -> str:
    """A word that every cloud takes in a name and in a label."""
    if not re.fullmatch(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?", text):
        raise ValueError("expected 1 to 20 lower-case letters, digits or dashes, starting with a letter")
    return text


def words(text: str) -> list[str]:
    """A list separated by commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def is_loopback(host: str) -> bool:
    """Whether a name of HOST or ALLOWED_HOSTS is reached from this machine only."""
    name = host.lower().removeprefix("[").removesuffix("]")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def one_of(*allowed: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}")
        return text

    return convert


def url(*schemes: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text.partition("://")[0] not in schemes or not text.partition("://")[2]:
            raise ValueError(f"expected an address that starts with {' or '.join(f'{s}://' for s in schemes)}")
        return text

    return convert


def rate(text: str) -> str:
    """A throttle rate as REST framework writes it: 100/min."""
    number, slash, period = text.partition("/")
    if not slash or not number.isdigit() or period[:1] not in ("s", "m", "h", "d"):
        raise ValueError("expected a rate such as 100/min (s, min, hour or day)")
    return text


def ed25519(text: str) -> str:
    """An Ed25519 private key: base64 of its DER form (PKCS #8), unchanged."""
    try:
        der = base64.b64decode(text, validate=True)
    except ValueError:
        der = b""
    if len(der) != 48 or not der.startswith(_ED25519_DER):
        raise ValueError(
            "expected an Ed25519 private key: openssl genpkey -algorithm ed25519 -outform DER | base64 -w 0"
        )
    return text
