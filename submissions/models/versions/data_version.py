"""One version of everything that is stored and shown: it changes with each row that is stored, changed or deleted.

Whatever changes what is shown starts a new version in its own transaction, by triggers. What time
alone changes (an embargo that ends) starts one at that moment, without a write.

How to use it: `data_state()` is one query. An answer that is computed after it may be cached under `data` (and
`prices`, `pages`, where it depends on them). In an open transaction that has written something, `data` is its own:
nobody else reads what it caches. `submissions.records.cache` does all of it. A replica has the tokens that came to it
with the rows, and beside them that of the figures that are counted on the primary (`submissions.aggregates`).
"""

from dataclasses import dataclass

import pgtrigger
from django.db import DEFAULT_DB_ALIAS, connections, models, router


class Subject(models.TextChoices):
    DATA = "data"  # what counts, charts and lists are computed from
    FIGURES = "figures"  # what was counted of it: on a replica it comes after the rows
    PRICES = "prices"  # the price book
    PAGES = "pages"  # what pages show beside them: names of accounts, decisions of moderators, files


# A change of any column of a submission starts a new version, but a change of these
OTHER_COLUMNS = {
    "id": "names the row, and never changes",
    "content_hash": "recognizes what was sent before; no page shows it",
    "own_trust": "the level that returns when `trust` falls from `reproduced`: then `trust` changes",
    "changed_at": "notes any change, also one that shows nothing",
    "configuration": "computed by the database from the columns above",
}


class DataVersion(models.Model):
    """Random tokens: a change writes a new one into a row that no other open transaction has written.

    So changes never wait for each other. All tokens of a subject together are its version.
    """

    subject = models.CharField(max_length=10, choices=Subject)
    token = models.UUIDField()

    def __str__(self) -> str:
        return f"{self.subject}: {self.token}"


def new_version_on(
    operation: pgtrigger.Operation, subject: Subject = Subject.DATA, condition: pgtrigger.Condition | None = None
) -> pgtrigger.Trigger:
    """A trigger of a model: each statement with `operation` starts a version, or each with a row of it."""
    return pgtrigger.Trigger(
        name=f"version_on_{str(operation).lower().replace(' ', '_')}",
        level=pgtrigger.Row if condition else pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        condition=condition,
        func=f"PERFORM submissions_new_version('{subject.value}'); RETURN NULL;",
    )


def changed_triggers(subject: Subject = Subject.DATA) -> list[pgtrigger.Trigger]:
    """Of rows that are stored with their submission: a changed or a deleted one starts a version."""
    changed = new_version_on(pgtrigger.Update, subject, pgtrigger.AnyChange())
    return [changed, new_version_on(pgtrigger.Delete, subject)]


def any_write_triggers(subject: Subject) -> list[pgtrigger.Trigger]:
    """Of rows that come by themselves: a new one starts a version too."""
    return [new_version_on(pgtrigger.Insert, subject), *changed_triggers(subject)]


def is_shown_otherwise() -> pgtrigger.Condition:
    """Of a submission: a column that pages show has another value."""
    return pgtrigger.AnyChange(exclude=list(OTHER_COLUMNS))


def submission_triggers() -> list[pgtrigger.Trigger]:
    return [
        new_version_on(pgtrigger.Insert),
        new_version_on(pgtrigger.Update, condition=is_shown_otherwise()),
        new_version_on(pgtrigger.Delete),
    ]


@dataclass(frozen=True, slots=True)
class DataState:
    """What is stored at a moment. Compare `data`, `prices` and `pages` for equality only."""

    data: str
    prices: str
    pages: str
    source: str = DEFAULT_DB_ALIAS  # the database that was asked: each replica has come as far as it has

    @property
    def transaction(self) -> str:
        """Of the open transaction that has written something, and so alone sees this version; "" outside of one."""
        return self.data.partition(" in ")[2]


def data_state() -> DataState:
    """One query, to the database that this request reads."""
    source = router.db_for_read(DataVersion)
    with connections[source].cursor() as cursor:
        cursor.execute("SELECT data, prices, pages FROM submissions_data_state()")
        data, prices, pages = cursor.fetchone()
    return DataState(data, prices, pages, source)
