"""The parameters of databases side by side: page and API read the same form."""

from django import forms

from submissions.pricing.terms import PriceTerms, ReaderPricesForm
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.databases.query import DatabasesParams


class DatabasesForm(ReaderPricesForm):
    load = forms.RegexField(
        r"^[0-9a-f]{16}$",
        required=False,
        help_text="A `load_fingerprint`; without it the first of `loads`",
    )
    trust = trust_field()

    @property
    def params(self) -> DatabasesParams:
        """Once the form is valid."""
        return DatabasesParams(
            self.cleaned_data["load"],
            trust_of(self.cleaned_data["trust"]),
            PriceTerms(discounts=self.cleaned_data["discount"]),
        )
