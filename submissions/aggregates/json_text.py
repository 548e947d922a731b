"""JSON of a row as text: a count meets the same few texts again and again, and parses each of them once."""

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Func, TextField
from django.db.models.functions import Cast

MOST_TEXTS = 4096  # that a process remembers of one kind, with what they mean

EMPTY = "[]"


def as_json_text(rows: ArraySubquery) -> Cast:
    """JSON values of other rows as the text of one list; EMPTY without any."""
    return Cast(Func(rows, function="array_to_json"), TextField())
