"""The site's keys: signing with the current one, and the list of all that were ever used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import timezone

from benchsite.keys.signing_key import current_key, key_id_of, public_pem, replace_key
from submissions.models import SigningKey

if TYPE_CHECKING:
    from securesystemslib.signer import CryptoSigner


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key as it is published; `created_at` is None where it has signed nothing yet."""

    key_id: str
    public_key: str  # PEM
    created_at: datetime | None
    revoked_at: datetime | None
    is_current: bool


def signer() -> "CryptoSigner":
    """Of the current key, which is on the list before its first signature is given away."""
    from securesystemslib.signer import CryptoSigner, SSlibKey  # loads boto3, which few processes need

    private = current_key()
    key_id, pem = key_id_of(private.public_key()), public_pem(private.public_key())
    if not SigningKey.objects.filter(pk=key_id).exists():
        SigningKey.objects.bulk_create([SigningKey(key_id=key_id, public_key=pem)], ignore_conflicts=True)
    return CryptoSigner(private, SSlibKey.from_crypto(private.public_key(), keyid=key_id))


def published_keys() -> Sequence[PublicKey]:
    """The current one first, then the others, the newest first; revoked ones too. One query."""
    public = current_key().public_key()
    current = key_id_of(public)
    rows = [
        PublicKey(row.key_id, row.public_key, row.created_at, row.revoked_at, row.key_id == current)
        for row in SigningKey.objects.all()
    ]
    if not any(row.is_current for row in rows):
        rows.append(PublicKey(current, public_pem(public), None, None, is_current=True))
    return sorted(rows, key=lambda row: not row.is_current)


def rotate() -> tuple[str, str]:
    """Sign with a new key from now on; the ids of the old and the new one. Not for a key that is a setting."""
    old = signer().public_key.keyid
    replace_key()
    return old, signer().public_key.keyid


def revoke(key_id: str) -> bool:
    """Say of a key that its signatures prove nothing any more; False where it is not listed, or revoked before."""
    return bool(SigningKey.objects.filter(pk=key_id, revoked_at=None).update(revoked_at=timezone.now()))
