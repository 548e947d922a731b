"""Under which licences the results of a dump are, and whom their copies have to name."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from submissions.dataset.schema import TABLES
from submissions.formatting.text import join_and, plural
from submissions.licenses import UPLOADS, License, license_name, license_of
from submissions.models import Dataset


@dataclass(frozen=True, slots=True)
class LicenseCount:
    """`rows` results under the same licence that have to be credited in the same words; either may be empty."""

    license: str
    attribution: str
    rows: int

    @property
    def name(self) -> str:
        return license_name(self.license) or "no licence stated"

    @property
    def known(self) -> License | None:
        return license_of(self.license)

    @property
    def words(self) -> str:
        """ "3,592 results: CC BY-SA 4.0, to be credited as Spare Cores (sparecores.com), CC BY-SA 4.0"."""
        named = f", to be credited as {self.attribution}" if self.attribution else ""
        return f"{plural(self.rows, 'result')}: {self.name}{named}"


def counted() -> list[LicenseCount]:
    """Of what is public now. One query, which reads all results."""
    results = next(table for table in TABLES if table.name == "submissions").rows()
    groups = results.order_by().values_list("license", "attribution").annotate(rows=Count("pk"))
    return [LicenseCount(*group) for group in sorted(groups, key=lambda group: (-group[2], *group[:2]))]


def licenses_of(dump: Dataset) -> list[LicenseCount]:
    return [LicenseCount(**count) for count in dump.licenses]


def are_mixed(counts: Sequence[LicenseCount]) -> bool:
    """More than the licence of uploads: then no single one is true of the dump."""
    return any(count.license != UPLOADS.spdx for count in counts)


def mixed_sentence(counts: Sequence[LicenseCount]) -> str:
    """Empty where all results are under the licence of uploads."""
    if not are_mixed(counts):
        return ""
    by_name: dict[str, int] = {}
    for count in counts:
        by_name[count.name] = by_name.get(count.name, 0) + count.rows
    parts = [f"{plural(rows, 'result')} under {name}" for name, rows in by_name.items()]
    return f"Mixed licences, by row: {join_and(parts)}."
