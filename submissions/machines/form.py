"""The parameters of the pages of machine types: page and API read the same forms."""

from django import forms

from submissions import facts
from submissions.api.number_fields import NumberField, OrdinalField, WholeNumberField
from submissions.choices import Architecture, PricingModel
from submissions.pricing.terms import ReaderPricesForm
from submissions.vocabulary import slug

MOST_VCPUS = 100_000
MOST_GIB = 10_000_000
MOST_PAGES = 1_000
ORDERINGS = ("name", "vcpus", "memory_gib", "hourly_usd", "results")
_YES = [("yes", "yes")]


class MachinesForm(ReaderPricesForm):
    """Which types, in which order, at which prices."""

    provider = forms.CharField(label=facts.PROVIDER.label, required=False, max_length=50, help_text="A slug: aws")
    region = forms.CharField(
        label=facts.REGION.label,
        required=False,
        max_length=50,
        help_text="Of the prices, and only types of providers that have it; without it the reference region of each",
    )
    q = forms.CharField(label="Name contains", required=False, max_length=100, help_text="Part of the name of a type")
    architecture = forms.ChoiceField(
        label=facts.ARCHITECTURE.label, required=False, choices=Architecture.pairs, help_text="Only these"
    )
    min_vcpus = WholeNumberField(
        label="Minimum vCPUs",
        required=False,
        min_value=1,
        max_value=MOST_VCPUS,
        help_text="Leaves out an unknown number",
    )
    min_memory_gib = NumberField(
        unit="GiB",
        label="Minimum memory",
        required=False,
        min_value=0,
        max_value=MOST_GIB,
        help_text="GiB; leaves out an unknown size",
    )
    local_disks = forms.ChoiceField(
        label="Local disks", required=False, choices=_YES, help_text="yes: only types that are known to have some"
    )
    measured = forms.ChoiceField(
        label="With results", required=False, choices=_YES, help_text="yes: only types on which something was measured"
    )
    basis = forms.ChoiceField(
        label=facts.PRICING_MODEL.label,
        required=False,
        choices=PricingModel.pairs,
        initial=PricingModel.ON_DEMAND.value,
        help_text="Of the prices",
    )
    ordering = forms.ChoiceField(
        required=False,
        choices=[(f"{sign}{name}", f"{sign}{name}") for name in ORDERINGS for sign in ("", "-")],
        initial="-results",
        help_text="Of equal ones by provider and name; what is unknown comes last",
    )
    page = OrdinalField(
        required=False, min_value=1, max_value=MOST_PAGES, initial=1, help_text="Of 100 types; CSV has all"
    )

    def clean_provider(self) -> str:
        return _slug(self.cleaned_data["provider"])

    def clean_region(self) -> str:
        return _slug(self.cleaned_data["region"])

    @property
    def model(self) -> PricingModel:
        return PricingModel(self.cleaned_data["basis"])


class MachineForm(ReaderPricesForm):
    region = forms.CharField(
        label=facts.REGION.label,
        required=False,
        max_length=50,
        help_text="Whose price history is shown; without it the reference region of the provider",
    )

    def clean_region(self) -> str:
        return _slug(self.cleaned_data["region"])


class CompareMachinesForm(ReaderPricesForm):
    a = forms.CharField(
        label="First machine type", required=False, max_length=160, help_text="A provider and a type: aws:i4i.2xlarge"
    )
    b = forms.CharField(label="Second machine type", required=False, max_length=160, help_text="As `a`")


def _slug(text: str) -> str:
    try:
        return slug(text) if text else ""
    except ValueError as error:
        raise forms.ValidationError(str(error)) from error
