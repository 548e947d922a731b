"""Which submissions are compared: two to six on the page (?s=4&s=1), two in the API (?a=4&b=1)."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError

from submissions.api.number_fields import NumberField, OrdinalField
from submissions.formatting.text import join_and
from submissions.ingest.document.types import MAX_LATENCY_MS
from submissions.models import MAX_ID, Submission
from submissions.pricing.terms import PriceTerms, ReaderPricesForm
from submissions.questions.compare.query import load
from submissions.records.unpublished import link_keys

FEWEST, MOST = 2, 6
_MOST_DIGITS = len(str(MAX_ID))
MISSING = "missing"  # the code of an error that names a submission which is not there


class SubmissionNumbers(forms.Field):
    """Repeated, or several in one value: "4, 1"."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[int]:
        parts = [part for text in value or () for part in text.replace(",", " ").split()]
        for part in parts:
            if not (part.isascii() and part.isdigit()) or len(part) > _MOST_DIGITS:
                raise ValidationError(f"“{part[:40]}” is not the number of a result.")
        return list(dict.fromkeys(map(int, parts)))


class P99Form(ReaderPricesForm):
    max_p99_ms = NumberField(
        unit="ms",
        required=False,
        min_value=0,
        max_value=MAX_LATENCY_MS,
        label="Maximum p99 (ms)",
        help_text="Compares each load curve at its highest load that keeps it, and other results if they keep it",
    )

    @property
    def terms(self) -> PriceTerms:
        """The stored prices, or those less a discount."""
        return PriceTerms(discounts=self.cleaned_data["discount"])


class CompareForm(P99Form):
    """The page's; `submissions` are those that exist among the chosen ones, in the order of the address."""

    s = SubmissionNumbers(required=False)

    submissions: tuple[Submission, ...] = ()

    def __init__(self, *args: Any, user: User | AnonymousUser | None = None, **kwargs: Any):
        self._user = user
        super().__init__(*args, **kwargs)
        self._keys = link_keys(self.data)

    def clean_s(self) -> list[int]:
        numbers: list[int] = self.cleaned_data["s"]
        if len(numbers) > MOST:
            raise ValidationError(f"At most {MOST} results can be compared; you chose {len(numbers)}.")
        self.submissions = tuple(load([number for number in numbers if number <= MAX_ID], self._user, self._keys))
        missing = _missing(numbers, self.submissions)
        if missing:
            raise ValidationError(_is_missing(missing), code=MISSING)
        if len(numbers) == 1:
            raise ValidationError(f"Choose at least one more result to compare with #{numbers[0]}.")
        return numbers


class PairForm(P99Form):
    """The API's: b is compared with a."""

    a = OrdinalField(min_value=1, max_value=MAX_ID, help_text="A submission")
    b = OrdinalField(min_value=1, max_value=MAX_ID, help_text="The submission that is compared with it")

    key = forms.CharField(
        required=False, help_text="The key in the secret link of an unlisted submission; repeat it for two"
    )

    submissions: tuple[Submission, ...] = ()

    def __init__(self, *args: Any, user: User | AnonymousUser | None = None, **kwargs: Any):
        self._user = user
        super().__init__(*args, **kwargs)
        self._keys = link_keys(self.data)

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        numbers = {name: self.cleaned_data[name] for name in ("a", "b") if name in self.cleaned_data}
        if len(numbers) < 2:
            return given
        self.submissions = tuple(load(list(numbers.values()), self._user, self._keys))
        missing = _missing(numbers.values(), self.submissions)
        for name, number in numbers.items():
            if number in missing:
                self.add_error(name, ValidationError(f"there is no submission {number}", code=MISSING))
        return given


def _missing(numbers: Iterable[int], submissions: Iterable[Submission]) -> list[int]:
    known = {submission.pk for submission in submissions}
    return [number for number in numbers if number not in known]


def _is_missing(numbers: list[int]) -> str:
    names = join_and([f"#{number}" for number in numbers])
    if len(numbers) == 1:
        return f"Result {names} does not exist or was retracted."
    return f"Results {names} do not exist or were retracted."
