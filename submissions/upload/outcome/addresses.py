"""Where to go from results that were just published: the same addresses on the page and in the API."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from submissions.questions.compare.form import FEWEST, MOST


@dataclass(frozen=True, slots=True)
class Uploaded:
    """Of a result what its addresses are made of."""

    pk: int
    workload: str  # its fingerprint
    is_open: bool


@dataclass(frozen=True, slots=True)
class NextAddresses:
    compare: str  # these results, or a page to choose others for the only one
    leaderboard: str | None  # None: of the workload nothing is open to all
    mine: str


def next_addresses(results: Sequence[Uploaded]) -> NextAddresses:
    """Of the workload that most of these results have: others cannot be compared."""
    alike = alike_results(results)
    first = alike[0]
    return NextAddresses(
        compare=compare_address([each.pk for each in alike]),
        leaderboard=reverse("submissions:workload", args=[first.workload]) if first.is_open else None,
        mine=f"{reverse('submissions:account')}#own",
    )


def alike_results(results: Sequence[Uploaded]) -> list[Uploaded]:
    """Those of the workload that most of them have, in their order; at least one."""
    most_common, _ = Counter(each.workload for each in results).most_common(1)[0]
    return [each for each in results if each.workload == most_common]


def compare_address(numbers: Sequence[int]) -> str:
    """Of as many as can be compared; for one alone the page that offers others."""
    here = reverse("submissions:compare")
    if len(numbers) < FEWEST:
        return f"{here}?with={numbers[0]}"
    return f"{here}?{urlencode([('s', number) for number in numbers[:MOST]])}"
