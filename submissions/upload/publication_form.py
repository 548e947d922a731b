"""Who may see a result: the fields of every form that publishes one."""

from collections.abc import Mapping
from typing import Any

from django import forms
from pydantic import ValidationError

from submissions.choices import Visibility
from submissions.ingest.document.submission import Publication
from submissions.upload.document_form import DocumentForm

VISIBILITIES = (
    (Visibility.PUBLIC.value, "Public: listed, ranked, open to everyone"),
    (Visibility.UNLISTED.value, "Unlisted: anyone with its secret link, but in no list or chart"),
    (Visibility.PRIVATE.value, "Private: only you"),
)


class PublicationForm(DocumentForm):
    """Not part of the content: the same result stays the same whoever may see it."""

    visibility = forms.ChoiceField(
        label="Visibility", choices=VISIBILITIES, required=False, widget=forms.Select(attrs={"data-wide": "true"})
    )
    embargo_until = forms.DateTimeField(
        label="Embargo until (UTC)",
        required=False,
        help_text="Optional. Public from then on, whatever the visibility; until then, a public result is private.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    @classmethod
    def initial_of(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        initial = super().initial_of(content)
        if "embargo_until" in initial:
            initial["embargo_until"] = forms.DateTimeField().to_python(initial["embargo_until"])
        return initial

    @property
    def chosen(self) -> Publication:
        """As the form shows it; an invalid one is public, the worst that can happen."""
        values = {**self.initial, **(getattr(self, "cleaned_data", {}) if self.is_bound else {})}
        try:
            return Publication.model_validate({name: values[name] for name in self.places if values.get(name)})
        except ValidationError:
            return Publication()

    places = {"visibility": ("visibility",), "embargo_until": ("embargo_until",)}
