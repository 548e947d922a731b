"""Data of stored results, derived again where the rules or the catalogue of machine types have changed."""

from collections.abc import Iterator

from django.db import connection, transaction

from submissions.ingest.store.data_columns import COLUMNS, data_columns, memory_of
from submissions.models import Derivation, Submission, Trial

NAME = "data_size"
RULES = "1"  # of analysis/data_rules.py and data_size.py: a change of theirs needs another number
BATCH = 1_000  # results in a transaction: a restart begins behind the last one

_CATALOGUE = (
    "SELECT md5(coalesce(string_agg(concat_ws(' ', provider, name, memory_gib), ',' ORDER BY provider, name), ''))"
    " FROM submissions_instancetype WHERE memory_gib IS NOT NULL"
)
_UPDATE = (
    "UPDATE submissions_submission s SET (data_bytes, data_to_memory, data_fit)"
    " = (new.data_bytes, new.data_to_memory, new.data_fit)"
    " FROM unnest(%s::bigint[], %s::bigint[], %s::double precision[], %s::text[])"
    " AS new (id, data_bytes, data_to_memory, data_fit)"
    " WHERE s.id = new.id AND (s.data_bytes, s.data_to_memory, s.data_fit)"
    " IS DISTINCT FROM (new.data_bytes, new.data_to_memory, new.data_fit)"
)
_OF_TRIALS = ("operations", "throughput_ops_s", "duration_s", "by_operation")


def derive_data(batch: int = BATCH) -> Iterator[tuple[int, int]]:
    """Results that were looked at and changed, after each batch; nothing where all are as the rules say."""
    rules = f"{RULES} {_catalogue()}"
    state, _ = Derivation.objects.get_or_create(name=NAME, defaults={"rules": rules})
    if state.rules != rules:
        state.rules, state.reached, state.is_complete = rules, 0, False
        state.save()
    while not state.is_complete:
        with transaction.atomic():
            done, changed = _derive_batch(state, batch)
            state.is_complete = done < batch
            state.save()
        if done:
            yield done, changed


def _derive_batch(state: Derivation, batch: int) -> tuple[int, int]:
    rows = Submission.objects.filter(pk__gt=state.reached).order_by("pk")
    documents = dict(rows.values_list("pk", "document")[:batch])
    if not documents:
        return 0, 0
    trials: dict[int, list[dict[str, object]]] = {pk: [] for pk in documents}
    for trial in Trial.objects.filter(submission__in=documents).order_by().values("submission_id", *_OF_TRIALS):
        trials[trial["submission_id"]].append(trial)
    memory = memory_of(documents.values())
    derived = [data_columns(document, trials[pk], memory) for pk, document in documents.items()]
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE, [list(documents), *([columns[name] for columns in derived] for name in COLUMNS)])
        changed = cursor.rowcount
    state.reached = max(documents)
    return len(documents), changed


def _catalogue() -> str:
    with connection.cursor() as cursor:
        cursor.execute(_CATALOGUE)
        digest: str = cursor.fetchone()[0]
    return digest
