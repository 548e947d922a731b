"""How many published results each database has in each place, counted once: new ones are added."""

from collections import Counter
from typing import NamedTuple

from django.db.models import Case, Count, QuerySet, Value, When

from submissions.choices import EXCLUDING_FLAGS, Flag
from submissions.models import IS_UNRANKED, CompiledQuery, Submission, SubmissionQuerySet
from submissions.records.growing import counted
from submissions.records.ids import Ids

FEW = 200  # new results that are read one by one
UNSOUND_FLAGS = (*EXCLUDING_FLAGS, Flag.STATED_PRICE_OFF)


class Place(NamedTuple):
    service: str
    provider: str
    region: str | None
    is_sound: bool  # no moderator held it back, and no flag doubts its figures or its price


def places() -> Counter[Place]:
    """Results with a rate. Two queries, one while they are counted."""
    return counted(("places",), _counted, Counter.__add__, is_broad=True)


def _counted(ids: Ids) -> Counter[Place]:
    """One query."""
    if ids.upto is not None and ids.upto - ids.after <= FEW:
        return Counter(Place(*row) for row in _FEW_ROWS.rows(after=ids.after, upto=ids.upto))
    counts = _columns(Submission.objects.with_rate().filter(ids.q())).annotate(n=Count("pk"))
    return Counter({Place(*row): n for *row, n in counts})


def _columns(rows: SubmissionQuerySet) -> QuerySet[Submission, tuple[str, str, str | None, bool]]:
    unsound = When(IS_UNRANKED, then=Value(False)), When(flags__overlap=UNSOUND_FLAGS, then=Value(False))
    sound = rows.order_by().annotate(is_sound=Case(*unsound, default=Value(True)))
    return sound.values_list("service", "provider", "region", "is_sound")


_FEW_ROWS = CompiledQuery(
    lambda after, upto: _columns(Submission.objects.with_rate().filter(pk__gt=after, pk__lte=upto)),
    after=2**62 + 1,
    upto=2**62 + 2,
)
