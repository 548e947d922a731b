"""Which results a board takes, by their trust: those with a raw log, and with one click the others."""

from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from rest_framework import serializers

from submissions.choices import Trust
from submissions.formatting.text import plural
from submissions.models import Submission
from submissions.questions.boards.counts import Counts
from submissions.questions.boards.reasons import Reason

DEFAULT, WITHOUT_LOGS = "log verified or higher", "historical: nothing here has a raw log"
CHOICES = [
    (trust.value, "historical only" if trust == Trust.HISTORICAL else f"{trust.label} or higher")
    for trust in Trust
    if trust != Trust.REPRODUCED
] + [(Trust.REPRODUCED.value, Trust.REPRODUCED.label)]

Address = Callable[..., str]  # the query of the page with changes


@dataclass(frozen=True, slots=True)
class TrustFilter:
    """`trust` as it was asked for, None for the default; the numbers are of results that are left out."""

    trust: Trust | None
    is_historical: bool  # what is shown comes from articles
    uploaded: int = 0
    historical: int = 0
    with_log: int = 0

    @property
    def key(self) -> str:
        """The lowest level that takes part."""
        return Trust.HISTORICAL.value if self.is_historical else (self.trust or Trust.LOG_VERIFIED).value


def default_words(trust_filter: TrustFilter) -> str:
    """What the selector calls the default: the trust level that the page shows where none is chosen."""
    return WITHOUT_LOGS if trust_filter.trust is None and trust_filter.is_historical else DEFAULT


@dataclass(frozen=True, slots=True)
class Chip:
    """A sentence, and the link that changes the trust filter."""

    text: str
    link: str = ""
    address: str = ""


def trust_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False,
        choices=CHOICES,
        help_text=(
            "Minimum trust level. Default: log_verified, or historical if a workload has no result with a raw log; "
            "historical: only these"
        ),
    )


def trust_filter_field() -> serializers.CharField:
    """Of an answer whose result has a `trust_filter`."""
    return serializers.CharField(
        source="trust_filter.key",
        help_text="The lowest trust level that is included; historical: only results of articles",
    )


def uploaded_field() -> serializers.IntegerField:
    return serializers.IntegerField(
        source="trust_filter.uploaded", help_text="Submissions without a log that ?trust=uploaded includes"
    )


def trust_of(value: str) -> Trust | None:
    """Of the value of such a field."""
    return Trust(value) if value else None


def trust_filter_of(trust: Trust | None, counts: Counts) -> TrustFilter:
    excluded = counts.own_reasons
    return TrustFilter(
        trust,
        is_historical=trust == Trust.HISTORICAL or (trust is None and counts.historical > 0),
        uploaded=excluded.get(Reason.UPLOADED, 0),
        historical=excluded.get(Reason.HISTORICAL, 0),
        with_log=excluded.get(Reason.WITH_LOG, 0),
    )


def trust_filter_of_all(trust: Trust | None) -> TrustFilter:
    """Of a question that no workload can answer. One query."""
    uploaded = Submission.objects.rankable().filter(trust=Trust.UPLOADED).count() if trust != Trust.UPLOADED else 0
    return TrustFilter(trust, is_historical=trust == Trust.HISTORICAL, uploaded=uploaded)


def chips(trust_filter: TrustFilter, address: Address) -> list[Chip]:
    """What is shown and what is left out, each with its link."""
    found = []
    if trust_filter.is_historical:
        found.append(_of_articles(trust_filter, address))
    elif trust_filter.trust == Trust.UPLOADED:
        found.append(Chip("Includes results without a raw log.", "Only those with a log", address(trust="")))
    if trust_filter.uploaded:
        is_are = "is" if trust_filter.uploaded == 1 else "are"
        text = f"{plural(trust_filter.uploaded, 'uploaded result')} without a log {is_are} left out."
        found.append(Chip(text, "Include uploaded results", address(trust=Trust.UPLOADED.value)))
    if trust_filter.historical:
        text = f"{plural(trust_filter.historical, 'historical result')} from articles on a separate board."
        found.append(Chip(text, "Show historical results", address(trust=Trust.HISTORICAL.value)))
    return found


def _of_articles(trust_filter: TrustFilter, address: Address) -> Chip:
    if trust_filter.trust is None:
        return Chip("Historical: no result of this workload has a raw log, so these come from published articles.")
    text = "Historical: these results come from published articles, without a raw log."
    return Chip(text, "Results with a log", address(trust="")) if trust_filter.with_log else Chip(text)
