"""The parameters of a search."""

from typing import Any

from django import forms

from submissions.api.forms import QuestionForm
from submissions.search.terms import MOST_TERMS, Asked, asked

MOST_CHARACTERS = 200
FORMATS = ("json",)


class SearchForm(QuestionForm):
    page_only = ("format",)

    q = forms.CharField(
        required=False,
        max_length=MOST_CHARACTERS,
        help_text=(
            "Words, all of which must be found, or a question such as cheapest cassandra, p99 under 10 ms, i4i vs i3; "
            '"several words" as they follow one another; #72 for one result'
        ),
    )
    cursor = forms.CharField(required=False, max_length=500, help_text="From the `next` of the previous page")
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])

    def clean_q(self) -> Asked:
        search = asked(self.cleaned_data["q"])
        if len(search.terms) > MOST_TERMS:
            raise forms.ValidationError(f"has more than {MOST_TERMS} words")
        return search

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("cursor") and "q" in cleaned and cleaned["q"].is_empty:
            self.add_error("cursor", "is for a search: q is missing")
        return cleaned
