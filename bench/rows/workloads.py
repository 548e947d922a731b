"""Variants of the real workloads: the same load on more keys, each with its true fingerprint and title."""

from collections.abc import Iterator
from typing import Any

from django.db import connection

from submissions.ingest.document.fingerprint import fingerprint_of, workload_title
from submissions.models import Workload

VARIANTS = 12  # of each workload but the popular ones
POPULAR = 3  # the workloads of most rows have no variants: they stay the largest


def make_variants() -> int:
    """Fill `bench_workload` from `bench_base`; the id of the workload that has most rows."""
    by_size = _by_size()
    variants = list(_variants(by_size))
    Workload.objects.bulk_create((variant for *_, variant in variants), ignore_conflicts=True, batch_size=1000)
    ids = dict(Workload.objects.values_list("fingerprint", "id"))
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_workload")
        cursor.execute(
            "CREATE UNLOGGED TABLE bench_workload"
            " (base_id bigint, variant int, variants int, workload_id bigint, key_count bigint)"
        )
        with cursor.copy("COPY bench_workload FROM STDIN") as copy:
            for base, number, of, variant in variants:
                copy.write_row([base, number, of, ids[variant.fingerprint], variant.canonical["key_count"]])
        cursor.execute("ANALYZE bench_workload")
    return by_size[0].pk


def _by_size() -> list[Workload]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT workload_id FROM bench_base GROUP BY 1 ORDER BY count(*) DESC, 1")
        ordered = [pk for (pk,) in cursor.fetchall()]
    workloads = Workload.objects.in_bulk(ordered)
    return [workloads[pk] for pk in ordered]


def _variants(by_size: list[Workload]) -> Iterator[tuple[int, int, int, Workload]]:
    """(real workload, number of the variant, how many there are, variant); the first is the real one itself."""
    for place, workload in enumerate(by_size):
        count = 1 if place < POPULAR else VARIANTS
        for number in range(count):
            yield workload.pk, number, count, _on_keys(workload, number)


def _on_keys(workload: Workload, number: int) -> Workload:
    # 3, 5, 7, ... times as many: none of them is another real workload's number of keys
    form: dict[str, Any] = {**workload.canonical, "key_count": workload.canonical["key_count"] * (2 * number + 1)}
    title = workload_title(form)
    return Workload(fingerprint=fingerprint_of(form), canonical=form, title=title, service=workload.service)
