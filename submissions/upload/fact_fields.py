"""Fields of facts in the form of an upload."""

from collections.abc import Callable
from typing import TypeVar

from django import forms

from submissions.api.number_fields import NumberField, WholeNumberField
from submissions.facts import FACTS, Fact
from submissions.models import field_of, is_number, is_whole
from submissions.upload.document_form import DocumentForm, Place

Form = TypeVar("Form", bound=DocumentForm)


def choice_field(fact: Fact) -> forms.ChoiceField:
    assert fact.choices is not None  # noqa: S101 (a fact of a closed list)
    return forms.ChoiceField(label=fact.label, required=False, choices=[("", "not stated"), *fact.choices.pairs()])


def text_field(fact: Fact, max_length: int, help_text: str = "", **attrs: str) -> forms.CharField:
    widget = forms.TextInput(attrs=attrs)
    return forms.CharField(label=fact.label, required=False, max_length=max_length, widget=widget, help_text=help_text)


def whole_field(fact: Fact) -> WholeNumberField:
    return WholeNumberField(unit=fact.unit, label=fact.label_with_unit, required=False, min_value=0, max_value=10**15)


def number_field(fact: Fact, max_value: float | None = None) -> NumberField:
    return NumberField(unit=fact.unit, label=fact.label_with_unit, required=False, min_value=0, max_value=max_value)


def place_in(name: str) -> Place:
    """Of the fact of this name."""
    return FACTS[name].path


def place_in_group(name: str) -> Place:
    """A group's form has the place of one group, and in it that of the first disk."""
    match FACTS[name].path:
        case ("nodes", "disks", field):
            return ("disks", 0, field)
        case (_, field):
            return (field,)
    raise ValueError(name)


def with_other_facts(has: Callable[[Fact], bool], place: Callable[[str], Place]) -> Callable[[type[Form]], type[Form]]:
    """Give a form a field for each fact that it `has` and draws none for, by the kind of the fact's column."""

    def add(form: type[Form]) -> type[Form]:
        others = [fact for name, fact in FACTS.items() if fact.in_form and has(fact) and name not in form.base_fields]
        form.base_fields.update({fact.key: _plain_field(fact) for fact in others})
        form.others = tuple(fact.key for fact in others)
        form.places = {**form.places, **{name: place(name) for name in form.others}}
        return form

    return add


def _plain_field(fact: Fact) -> forms.Field:
    if fact.choices:
        return choice_field(fact)
    if is_whole(fact):
        return whole_field(fact)
    if is_number(fact):
        return number_field(fact)
    return text_field(fact, getattr(field_of(fact), "max_length", None) or 100)
