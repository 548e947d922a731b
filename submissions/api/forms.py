"""A question's parameters: one Django form, read by its page and its API address, and described in the schema."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django import forms
from django.core import validators
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from submissions.api.facet_field import MAX_VALUES, UNKNOWN, FacetField
from submissions.api.number_fields import RangeField
from submissions.api.parameters import FORMAT_PARAMETER, known_parameters

Form = TypeVar("Form", bound=forms.Form)


class BadParameter(Exception):
    """A parameter that is well formed and still wrong: it names something unknown, or contradicts another one.

    The API answers 400 with a pointer to the parameter; a page answers 404 where `is_missing`, else 400.
    """

    def __init__(self, parameter: str, detail: str, *, is_missing: bool = False):
        super().__init__(f"{parameter}: {detail}")
        self.parameter = parameter
        self.detail = detail
        self.is_missing = is_missing

    @property
    def problems(self) -> dict[str, list[str]]:
        """As the errors of a form, for the template."""
        return {self.parameter: [self.detail]}


class DayField(forms.DateField):
    """A UTC day, YYYY-MM-DD only: "1/2/2026" is another day on each side of the Atlantic."""

    def __init__(self, **kwargs: Any):
        super().__init__(input_formats=["%Y-%m-%d"], **kwargs)


class QuestionForm(forms.Form):
    """The parameters of a question: `initial` is the default, `help_text` the description in the API.

    A parameter that is missing or empty has its default in `cleaned_data`. A `clean` of your own begins with
    `super().clean()`.
    """

    page_only: ClassVar[Sequence[str]] = ()  # fields that the API does not have

    def clean(self) -> dict[str, Any]:
        for name, field in self.fields.items():
            if field.initial is not None and self.cleaned_data.get(name) in validators.EMPTY_VALUES:
                self.cleaned_data[name] = field.initial
        return self.cleaned_data

    def address(self, **changes: object) -> str:
        """The query of this state ("?workload=...&by=..."), with `changes`; what is empty or a default is omitted.

        A field of several values is repeated, None among them is `unknown`.
        """
        state = {**self.cleaned_data, **changes}
        pairs = [
            (name, _as_text(value))
            for name, values in state.items()
            if values not in validators.EMPTY_VALUES and not self._is_default(name, values)
            for value in (values if isinstance(values, list | tuple) else [values])
        ]
        return f"?{urlencode(pairs)}"

    def _is_default(self, name: str, value: object) -> bool:
        return name in self.fields and self.fields[name].initial == value


def validated(form_class: type[Form], request: Request, **options: Any) -> Form:
    """The form bound to the query of an API request. Raises ValidationError with a pointer to each wrong parameter."""
    known_parameters(request, *_parameters(form_class))
    form = form_class(request.query_params, **options)
    if not form.is_valid():
        raise ValidationError({name: [str(error) for error in errors] for name, errors in form.errors.items()})
    return form


def redirect_to_api(
    request: HttpRequest, view: str, *, without: Collection[str] = (), **more: str
) -> HttpResponseRedirect:
    """A page asked for ?format=json or csv: its API address with the same parameters but `without`, and `more`."""
    query = request.GET.copy()
    for name in without:
        query.pop(name, None)
    query.update(more)
    return HttpResponseRedirect(f"{reverse(view)}?{query.urlencode()}")


def openapi_parameters(form_class: type[forms.Form]) -> list[OpenApiParameter]:
    """Name, type, bounds, closed list, default and description of each field, for the schema."""
    return [_parameter(name, field) for name, field in _parameters(form_class).items()]


def _parameters(form_class: type[forms.Form]) -> Mapping[str, forms.Field]:
    hidden = {FORMAT_PARAMETER, *getattr(form_class, "page_only", ())}
    return {name: field for name, field in form_class.base_fields.items() if name not in hidden}


def _parameter(name: str, field: forms.Field) -> OpenApiParameter:
    schema = dict(_schema(field))
    if field.initial is not None:
        schema["default"] = str(field.initial) if isinstance(field.initial, str) else field.initial
    description = str(field.help_text or field.label or "")
    is_list = schema.get("type") == "array"
    return OpenApiParameter(
        name, type=schema, required=field.required, description=description, explode=True if is_list else None
    )


def _schema(field: forms.Field) -> Iterator[tuple[str, Any]]:
    match field:
        case forms.MultipleChoiceField():
            yield "type", "array"
            yield "items", {"type": "string", "enum": list(_values(field.choices))}
        case FacetField():
            yield "type", "array"
            yield "items", {"type": "string"}
            yield "maxItems", MAX_VALUES
        case forms.ChoiceField():
            yield "type", "string"
            yield "enum", list(_values(field.choices))
        case RangeField():
            yield "type", ["number", "string"]
        case forms.FloatField():
            yield from (("type", "number"), ("format", "double"))
        case forms.IntegerField():
            yield "type", "integer"
        case forms.BooleanField():
            yield "type", "boolean"
        case forms.DateField():
            yield from (("type", "string"), ("format", "date"))
        case _:
            yield "type", "string"
    yield from _bounds(field)


def _bounds(field: forms.Field) -> Iterator[tuple[str, Any]]:
    names: dict[type, str] = {
        validators.MinValueValidator: "minimum",
        validators.MaxValueValidator: "maximum",
        validators.MinLengthValidator: "minLength",
        validators.MaxLengthValidator: "maxLength",
    }
    for validator in field.validators:
        if isinstance(validator, validators.BaseValidator) and type(validator) in names:
            yield names[type(validator)], validator.limit_value
    if isinstance(field, forms.RegexField):
        yield "pattern", field.regex.pattern


def _values(choices: Any) -> Iterator[str]:
    """The values of a closed list, those in groups too."""
    for value, label in choices:
        if isinstance(label, list | tuple):
            yield from _values(label)
        else:
            yield str(value)


def _as_text(value: object) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:.12g}" if isinstance(value, float) else str(value)
