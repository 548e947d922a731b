"""Documents made rows by the ingest pipeline's own functions, in several processes."""

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from submissions.choices import Trust
from tools.synthetic.documents import document

TRUST = Trust.LOG_VERIFIED  # what boards take, so that their pages are measured with all rows
CHUNK = 1_000  # documents that a process makes at a time
WORTH_A_PROCESS = 4 * CHUNK  # starting one takes as long as making some thousands


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of one submission's rows; what is known only to the database is left out."""

    workload: dict[str, Any]
    submission: dict[str, Any]
    trials: list[dict[str, Any]]
    node_groups: list[dict[str, Any]]


def make(count: int, *, seed: int, processes: int) -> Iterator[list[Rows]]:
    """The rows of the submissions 0 to `count` - 1 of a seed, in their order, in chunks."""
    starts = range(0, count, CHUNK)
    tasks = [(start, min(start + CHUNK, count), seed) for start in starts]
    if processes < 2 or count < WORTH_A_PROCESS:
        yield from map(_chunk, tasks)
        return
    # spawned, not forked: a child must not share the parent's database connection
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_set_up) as pool:
        yield from pool.map(_chunk, tasks)


def rows_of(content: dict[str, Any]) -> Rows:
    """What the pipeline would store for a document, without a price book: prices are stated or unknown."""
    from submissions.ingest.pipeline import prepare_document
    from submissions.ingest.store import rows
    from submissions.pricing.book.quotes import PriceBook

    prepared = prepare_document(content, trust=TRUST, book=PriceBook())
    return Rows(
        workload=rows.workload_columns(prepared),
        submission=rows.submission_columns(prepared, memory={}),
        trials=rows.trial_columns(prepared),
        node_groups=rows.node_group_columns(prepared),
    )


def as_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _chunk(task: tuple[int, int, int]) -> list[Rows]:
    first, end, seed = task
    return [rows_of(document(index, seed=seed)) for index in range(first, end)]


def _set_up() -> None:
    import django

    django.setup()
