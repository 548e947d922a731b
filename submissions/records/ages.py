"""The ages of the rows that a page shows."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date

from submissions.age.drift import Drift, drifts, drifts_of
from submissions.age.marks import Age, Aging, age_of
from submissions.age.retired import retired_of
from submissions.models import Submission, SubmissionQuerySet
from submissions.records.cache import cached, prices_version

Ages = dict[int, Age]  # by the id of the submission


def ages_of(rows: Iterable[Aging], today: date) -> Ages:
    """Four queries, three inside `of_one_state`, whatever the number of rows; none without rows.

    One more after a change of the price book. The price of each row is the stored one, even where `rows` have been
    priced again.
    """
    unique = {row.pk: row for row in rows}
    return _ages(unique, today, drifts(_stored(unique), today)) if unique else {}


def ages_of_stored(rows: Collection[Submission], today: date) -> Ages:
    """The same of a few rows with the columns of a table, just read. Two queries; none without prices."""
    return _ages({row.pk: row for row in rows}, today, drifts_of(rows, today)) if rows else {}


def ages_of_published(rows: Iterable[Aging], today: date) -> Ages:
    """The same of rows that everybody may see: none of these queries while the prices of these rows are cached."""
    unique = {row.pk: row for row in rows}
    if not unique:
        return {}
    key = ("drifts", today, prices_version(), *sorted(unique))
    return _ages(unique, today, cached(key, lambda: drifts(_stored(unique), today)))


def _stored(pks: Iterable[int]) -> SubmissionQuerySet:
    return Submission.objects.filter(pk__in=list(pks))


def _ages(rows: Mapping[int, Aging], today: date, drifted: Mapping[int, Drift]) -> Ages:
    retired = retired_of(prices_version())
    return {pk: age_of(row, today, retired, drifted) for pk, row in rows.items()}
