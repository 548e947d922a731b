"""`next` of an answer that stored something: where its results are compared, ranked and found again."""

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from submissions.choices import Visibility
from submissions.upload.outcome.addresses import Uploaded, next_addresses

NEXT = inline_serializer(
    "Next",
    {
        "compare": serializers.URLField(help_text="These results side by side, or others to compare the only one with"),
        "leaderboard": serializers.URLField(
            allow_null=True, help_text="Of the workload that most of them have; null: nothing of it is public"
        ),
        "mine": serializers.URLField(help_text="All results of the account"),
    },
)


def next_steps(answers: Sequence[Mapping[str, Any]], request: Request) -> dict[str, str | None] | None:
    """Pages for these submissions, as they are answered; None without any."""
    if not answers:
        return None
    found = next_addresses([Uploaded(each["id"], each["workload"], _is_open(each)) for each in answers])
    return {
        name: address and request.build_absolute_uri(address)
        for name, address in (("compare", found.compare), ("leaderboard", found.leaderboard), ("mine", found.mine))
    }


def _is_open(answer: Mapping[str, Any]) -> bool:
    return answer["visibility"] == Visibility.PUBLIC and answer["embargo_until"] is None
