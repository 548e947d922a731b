"""`next` of an answer that stored something: where its results are compared, ranked and found again."""

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.request import Request

from submissions.choices import Visibility
from submissions.upload.outcome.addresses import Uploaded, next_addresses


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
