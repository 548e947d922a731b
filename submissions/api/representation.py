"""Answers of serializers whose fields are built once a process: REST framework builds them for every object."""

from collections.abc import Callable, Mapping
from copy import copy
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from django.db.models import Manager
from rest_framework import serializers
from rest_framework.fields import SkipField

Convert = Callable[[Any], Any]

_OWN_TYPE: Mapping[type, type] = {
    serializers.CharField: str,
    serializers.IntegerField: int,
    serializers.FloatField: float,
    serializers.BooleanField: bool,
}


# Of a serializer that only answers, with the same fields for every request. A field whose answer depends on the request
# has `of_request(context)`, which returns its conversion. The methods of a `SerializerMethodField` are called on a
# serializer that has the context. (A docstring would be the description of each such serializer in the schema.)
class FieldsBuiltOnce:
    def to_representation(self, instance: Any) -> dict[str, Any]:
        represent: Convert | None = vars(self).get("_represent")
        if represent is None:
            serializer: Any = self
            kind: Any = type(self)
            represent = serializer._represent = _of_request(_steps(kind), serializer, serializer.context)
        answer: dict[str, Any] = represent(instance)
        return answer

    # `cls(instance, context=context).data`, without what REST framework does for a serializer that may get input: a
    # new field changes the class of all fields, and Python forgets what it knows of each of them.
    @classmethod
    def answer_of(cls, instance: Any, context: Mapping[str, Any]) -> dict[str, Any]:
        kind: Any = cls
        serializer = _with_context(kind, context)
        answer: dict[str, Any] = _of_request(_steps(kind), serializer, context)(instance)
        return answer


@cache
def _unbound(serializer_class: Any) -> Any:
    return serializer_class()


def _with_context(serializer_class: Any, context: Mapping[str, Any]) -> Any:
    serializer = copy(_unbound(serializer_class))
    serializer._context = context
    return serializer


class _Step(NamedTuple):
    """A field of an answer."""

    field: Any
    name: str
    attribute: str  # of the object; "" where only `field.get_attribute` knows how to find the value
    type: type | None  # values of it are answered as they are
    convert: Convert
    of_request: Callable[[Any, Any], Convert] | None = None  # from serializer and context, where `convert` needs them


@cache
def _steps(serializer_class: type[Any]) -> tuple[_Step, ...]:
    kind: Any = serializer_class
    return _steps_of(_unbound(kind))


def _steps_of(serializer: Any) -> tuple[_Step, ...]:
    return tuple(_step(field) for field in serializer._readable_fields)


def _step(field: Any) -> _Step:
    attribute = field.source_attrs[0] if len(field.source_attrs) == 1 else ""
    convert = _moment(field) if type(field) is serializers.DateTimeField else field.to_representation
    step = _Step(field, field.field_name, attribute, _OWN_TYPE.get(type(field)), convert)
    if isinstance(field, serializers.SerializerMethodField):
        return step._replace(of_request=lambda serializer, context: getattr(serializer, field.method_name))
    if hasattr(field, "of_request"):
        return step._replace(of_request=lambda serializer, context: field.of_request(context))
    is_list = isinstance(field, serializers.ListSerializer)
    nested = field.child if is_list else field
    return _nested(step, nested, is_list) if isinstance(nested, serializers.Serializer) else step


def _moment(field: Any) -> Convert:
    """As REST framework's field, which asks for the time zone of each; those of the database are in UTC."""

    def convert(value: Any) -> Any:
        if type(value) is datetime and value.tzinfo is UTC:
            return f"{value.replace(tzinfo=None).isoformat()}Z"
        return field.to_representation(value)

    return convert


def _nested(step: _Step, serializer: Any, is_list: bool) -> _Step:
    steps = _steps_of(serializer)

    def shaped(represent: Convert) -> Convert:
        return (lambda values: [represent(value) for value in _iterable(values)]) if is_list else represent

    if not any(each.of_request for each in steps):
        return step._replace(convert=shaped(lambda instance: _answer(steps, instance)))
    return step._replace(
        of_request=lambda _, context: shaped(_of_request(steps, _with_context(type(serializer), context), context))
    )


def _of_request(steps: tuple[_Step, ...], serializer: Any, context: Any) -> Convert:
    """From an object to its answer to the request of the context."""
    bound = [step._replace(convert=step.of_request(serializer, context)) if step.of_request else step for step in steps]
    return lambda instance: _answer(bound, instance)


def _answer(steps: Any, instance: Any) -> dict[str, Any]:
    is_mapping = isinstance(instance, Mapping)
    answer = {}
    for field, name, attribute, plain_type, convert, _ in steps:
        try:
            if not attribute:
                value = field.get_attribute(instance)
            else:
                value = instance[attribute] if is_mapping else getattr(instance, attribute)
                if callable(value):
                    value = field.get_attribute(instance)
        except (AttributeError, KeyError):
            try:
                value = field.get_attribute(instance)  # REST framework's rules for what is missing
            except SkipField:
                continue
        except SkipField:
            continue
        answer[name] = value if value is None or type(value) is plain_type else convert(value)
    return answer


def _iterable(values: Any) -> Any:
    return values.all() if isinstance(values, Manager) else values
