"""The public keys with which this site has ever signed: what they signed can be verified as long as they are listed."""

from django.db import models


class SigningKey(models.Model):
    """An Ed25519 public key; recorded before the first signature by it is given away."""

    key_id = models.CharField(primary_key=True, max_length=64)  # SHA-256 of the key's DER form
    public_key = models.TextField()  # PEM
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True)  # what it signed proves nothing any more

    class Meta:
        ordering = ["-created_at", "key_id"]

    def __str__(self) -> str:
        return self.key_id
