"""The parameters of the coverage map: page and API read the same form."""

from typing import Any

from django import forms

from submissions.api.facet_field import UNKNOWN
from submissions.api.forms import QuestionForm
from submissions.api.number_fields import OrdinalField
from submissions.facts import MACHINE_FAMILY, PROVIDER, SERVICE
from submissions.questions.boards.trust_filter import trust_field, trust_of
from submissions.questions.coverage.query import By, CoverageParams
from submissions.questions.recommend.work import Work
from submissions.vocabulary import slug

WORKS = [*Work.pairs(), (UNKNOWN, "unknown")]
MOST_PAGES = 1_000


def _slug_field(label: str, help_text: str) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=100, help_text=help_text)


class CoverageForm(QuestionForm):
    page_only = ("page",)  # an API answer has all columns

    service = _slug_field(SERVICE.label, "Only this database")
    provider = _slug_field(PROVIDER.label, "Only this provider")
    work = forms.ChoiceField(
        label="Work",
        required=False,
        choices=WORKS,
        help_text="Reads as a share of all operations: at least 80 %, between, at most 20 %; unknown: not stated",
    )
    machine_family = forms.CharField(
        label=MACHINE_FAMILY.label,
        required=False,
        max_length=100,
        help_text=f"Only this family; {UNKNOWN}: the name of the machine type has none",
    )
    by = forms.ChoiceField(
        label="Columns",
        required=False,
        choices=By.pairs(),
        help_text="What a cell counts beside database and work. Default: machine_family with a provider, else provider",
    )
    trust = trust_field()
    page = OrdinalField(label="Page", required=False, min_value=1, max_value=MOST_PAGES)

    def clean_service(self) -> str:
        return _slug(self.cleaned_data["service"])

    def clean_provider(self) -> str:
        return _slug(self.cleaned_data["provider"])

    @property
    def params(self) -> CoverageParams:
        """Once the form is valid."""
        values: dict[str, Any] = self.cleaned_data
        family = values["machine_family"]
        has_families = bool(values["provider"] or family)
        return CoverageParams(
            service=values["service"],
            provider=values["provider"],
            work=values["work"],
            machine_family=family,
            by=By(values["by"]) if values["by"] else By.MACHINE_FAMILY if has_families else By.PROVIDER,
            trust=trust_of(values["trust"]),
        )


def _slug(text: str) -> str:
    try:
        return slug(text) if text else ""
    except ValueError as error:
        raise forms.ValidationError(str(error)) from error
