"""The month of an answer as it is shown."""

from dataclasses import dataclass
from decimal import Decimal

from submissions.choices import Choice
from submissions.pricing.month.month import Month


class ZonesFrom(Choice):
    REQUESTED = "requested"
    MEASURED = "measured"
    ASSUMED = "assumed"  # not stated: one


@dataclass(frozen=True, slots=True)
class AnswerMonth:
    """`in_three_zones_usd`: what the traffic between three zones would add; None where that is unknown, as
    `in_three_zones_missing` says, and where there are three already, or fewer nodes.
    """

    month: Month
    zones_from: ZonesFrom
    in_three_zones_usd: Decimal | None = None
    in_three_zones_missing: str = ""  # the end of a sentence
