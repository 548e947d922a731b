"""Ranges of submissions: what is counted in parts."""

from dataclasses import dataclass

from django.db.models import Q


@dataclass(frozen=True, slots=True)
class Ids:
    """Submissions with after < id <= upto; None: no limit."""

    after: int = 0
    upto: int | None = None

    def q(self, prefix: str = "") -> Q:
        """`prefix`: "submission__" from a related table."""
        limits = Q(**{f"{prefix}pk__gt": self.after}) if self.after else Q()
        return limits if self.upto is None else limits & Q(**{f"{prefix}pk__lte": self.upto})
