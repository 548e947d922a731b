"""How many results of a workload have each exclusion profile: what boards count, and say that they leave out."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

from submissions.aggregates.kinds import Kind, State
from submissions.aggregates.profile import ExclusionProfile, ProfileCount, profile_of_key, profile_query, public_rows
from submissions.aggregates.trust_filter import levels_of
from submissions.choices import Trust
from submissions.models import Submission, SubmissionQuerySet


class BoardsKind(Kind):
    """State: {"profiles": {key of a profile: results}, "newest": of the dated measurements}."""

    name = "boards"
    code = "2"

    def rows(self, submissions: SubmissionQuerySet) -> QuerySet[Submission, tuple[Any, ...]]:
        return profile_query(public_rows(submissions))

    def add(self, state: State, row: tuple[Any, ...]) -> None:
        count = ProfileCount.of(row)
        profiles, key = state.setdefault("profiles", {}), count.profile.key
        profiles[key] = profiles.get(key, 0) + count.n
        if count.newest is not None and not count.profile.is_retracted:
            state["newest"] = max(state.get("newest", ""), count.newest.isoformat())

    def columns(self, state: State) -> Mapping[str, Any]:
        profiles = list(profiles_in(state))
        proven = sum(n for profile, n in profiles if profile.is_proven)
        priced = {
            trust: sum(n for profile, n in profiles if profile.is_valued and profile.trust == trust) for trust in Trust
        }
        newest = state.get("newest")
        return {
            "published": sum(n for profile, n in profiles if not profile.is_retracted),
            "newest": parse_datetime(newest) if newest else None,
            "proven": proven,
            "valued": sum(n for trust, n in priced.items() if trust in levels_of(None, has_proven=proven > 0)),
            **{f"priced_{trust}": n for trust, n in priced.items()},
        }


BOARDS = BoardsKind()


def profiles_in(state: State) -> Iterator[tuple[ExclusionProfile, int]]:
    """Of all public results, retracted ones too."""
    return ((profile_of_key(key), n) for key, n in state.get("profiles", {}).items())


def has_proven(state: State) -> bool:
    """Whether there are ranked results with a raw log."""
    return any(profile.is_proven for profile, _ in profiles_in(state))
