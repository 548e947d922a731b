"""The results that a search finds, the most relevant first. A constant number of queries, whatever it finds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.core import signing
from django.db.models import F, QuerySet

from submissions.api.forms import BadParameter
from submissions.models import CompiledQuery, SearchEntry, Submission
from submissions.models.results.submission import is_published
from submissions.search.terms import Asked

A_PAGE = 20
MOST = 1000  # matches that are ranked: the newest
_MOST_TRIED = 6  # terms that are left out one by one, where nothing has all of them
_SALT = "submissions.search"  # part of signed addresses: it outlives the name of the module

Place = tuple[float, int]  # (rank, id) of a match: the greatest comes first


@dataclass(frozen=True, slots=True)
class Matches:
    """Published submissions that have every term of a search."""

    ids: tuple[int, ...]  # of this page, the most relevant first
    count: int  # of all pages; at most MOST
    is_capped: bool  # there are more than are counted and ranked
    next_cursor: str | None


def matches(search: Asked, cursor: str = "") -> Matches:
    """The number that was searched for first, then by rank, then the newest. Raises BadParameter for a bad cursor.

    Of more than MOST matches the newest are ranked. At most two queries.
    """
    after = _read(cursor, search) if cursor else None
    exact = _exact(search)
    found = _ranked(search)
    is_capped = len(found) > MOST
    ranked = [place for place in sorted(found[:MOST], reverse=True) if place[1] != exact]
    rest = [place for place in ranked if after is None or place < after]
    page = rest[:A_PAGE]
    return Matches(
        ids=(*((exact,) if exact and after is None else ()), *(pk for _, pk in page)),
        count=len(ranked) + (exact is not None),
        is_capped=is_capped,
        next_cursor=_write(page[-1], search) if len(rest) > A_PAGE else None,
    )


def in_order_of(ids: tuple[int, ...], rows: Iterable[Submission]) -> list[Submission]:
    """The rows of these ids: as many, or fewer."""
    by_id = {row.pk: row for row in rows}
    return [by_id[pk] for pk in ids if pk in by_id]  # one may have become private meanwhile


def with_one_term_less(search: Asked) -> list[Asked]:
    """The searches without one of the terms that find something: where no result has all of them."""
    if len(search.terms) < 2 or search.other_side:
        return []
    shorter = [search.without(term) for term in search.terms[:_MOST_TRIED]]
    return [each for each in shorter if entries_of(each).exists()]


def tsquery(words: str) -> SearchQuery:
    return SearchQuery(words, search_type="raw", config="simple")


def _exact(search: Asked) -> int | None:
    if search.number is None:
        return None
    return Submission.objects.published().filter(pk=search.number).values_list("pk", flat=True).first()


def _ranked(search: Asked) -> list[Place]:
    """The newest that match, MOST and one more: a word that many have is read from the end, not sorted."""
    if not search.terms:
        return []
    return [(rank, pk) for rank, pk in _RANKED.rows_as_planned(words=search.tsquery)]


def entries_of(search: Asked) -> QuerySet[SearchEntry]:
    return _with_words(search.tsquery)


def _with_words(words: str) -> QuerySet[SearchEntry]:
    return SearchEntry.objects.filter(is_published("submission__"), words=tsquery(words))


def _ranked_by(words: str) -> QuerySet[SearchEntry, tuple[Any, ...]]:
    entries = _with_words(words).annotate(rank=SearchRank(F("words"), tsquery(words)))
    return entries.order_by("-submission_id").values_list("rank", "submission_id")[: MOST + 1]


_RANKED = CompiledQuery(_ranked_by, words="?")


def _write(place: Place, search: Asked) -> str:
    return signing.dumps(list(place), salt=_salt(search))


def _read(cursor: str, search: Asked) -> Place:
    """Signed for this search, so that a place read here is always one of its own."""
    try:
        rank, pk = signing.loads(cursor, salt=_salt(search))
    except signing.BadSignature as error:
        raise BadParameter("cursor", "is not a cursor of this search: begin again without it") from error
    return rank, pk


def _salt(search: Asked) -> str:
    return f"{_SALT} {search.text}"
