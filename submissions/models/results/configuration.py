"""What makes two submissions runs of one configuration: a hash of everything that people compare."""

from django.db.models import CharField, F, GeneratedField, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import MD5, Cast, Coalesce, Concat

from submissions.facts import FACTS

# All of them equal, and of one workload: unknown equals unknown. Prices, zones, days and tools' versions may differ.
_COLUMNS = [fact.column for fact in FACTS.values() if fact.in_configuration]
_RATES = ("fixed_rate_ops_s", "throttle_ops_s")  # of the document's workload
_SEPARATOR = "\x1f"


def configuration_field() -> GeneratedField:
    """Computed by the database from the columns, and from the settings and the rates of the document."""
    load = KeyTransform("workload", "document")
    stated: tuple[Combinable, ...] = (
        KeyTransform("settings", "document"),
        *(KeyTransform(name, load) for name in _RATES),
    )
    parts: list[Combinable] = []
    for expression in (*(F(column) for column in _COLUMNS), *stated):
        text: Combinable = Cast(expression, TextField())
        parts += [Coalesce(text, Value("", TextField()), output_field=TextField()), Value(_SEPARATOR, TextField())]
    return GeneratedField(
        expression=MD5(Concat(*parts, output_field=TextField())),
        output_field=CharField(max_length=32),
        db_persist=True,
    )
