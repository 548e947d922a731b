"""The column of a fact: which values it holds follows from its field, and is said nowhere else."""

from typing import Any, cast

from django.contrib.postgres.fields import ArrayField
from django.db.models import Field, FloatField, IntegerField

from submissions.facts import Fact
from submissions.models.results.submission import Submission


def field_of(fact: Fact) -> "Field[Any, Any]":
    """Of its only column. Raises ValueError where it has none, or two."""
    return cast("Field[Any, Any]", Submission._meta.get_field(fact.column))


def is_whole(fact: Fact) -> bool:
    return isinstance(field_of(fact), IntegerField)


def is_number(fact: Fact) -> bool:
    """One with a fraction."""
    return isinstance(field_of(fact), FloatField)


def has_several_values(fact: Fact) -> bool:
    return isinstance(field_of(fact), ArrayField)
