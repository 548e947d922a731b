"""How far columns that are derived from stored documents have come, after their rules have changed."""

from django.db import models


class Derivation(models.Model):
    """Of all columns that one set of rules derives: the rows up to `reached` are as `rules` say."""

    name = models.CharField(max_length=50, unique=True)
    rules = models.CharField(max_length=64)  # their version, and that of the catalogue that they use
    reached = models.BigIntegerField(default=0)  # the id of a submission
    is_complete = models.BooleanField(default=False)  # whoever stores a result later derives its columns then

    def __str__(self) -> str:
        return f"{self.name}: {self.reached}"
