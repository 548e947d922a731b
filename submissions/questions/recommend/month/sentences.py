"""The month of an answer in words."""

from submissions.formatting.numbers import monthly
from submissions.formatting.text import plural
from submissions.questions.recommend.month.result import AnswerMonth, ZonesFrom


def zones_words(shown: AnswerMonth) -> str:
    """ "Zones as measured: 3."; what the traffic of the bill assumes."""
    zones = plural(shown.month.zones, "zone")
    if shown.zones_from == ZonesFrom.REQUESTED:
        return f"In {zones}."
    if shown.zones_from == ZonesFrom.MEASURED:
        return f"Zones as measured: {shown.month.zones:,}."
    return "This result does not state its zones: the bill is that of one zone."


def three_zones_words(shown: AnswerMonth) -> str:
    """ "In three zones: + $10,512/month"; empty where there are as many already, or where there cannot be."""
    if shown.in_three_zones_usd is not None:
        return f"In three zones: + {monthly(shown.in_three_zones_usd)}"
    return f"In three zones: unknown, because {shown.in_three_zones_missing}" if shown.in_three_zones_missing else ""
