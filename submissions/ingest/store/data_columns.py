"""The data of a result and what part of the memory it is, as columns: derived here alone, whatever door it came by."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db import connections, router

from submissions.analysis.data_size import (
    MachineType,
    Memory,
    data_size,
    data_to_memory,
    fit_of,
    machine_types,
)
from submissions.models import InstanceType

COLUMNS = ("data_bytes", "data_to_memory", "data_fit")
# A JSON array of [provider, name, GiB]; its parameters: providers and names.
MEMORY_OF_TYPES = (
    "(SELECT json_agg(json_build_array(provider, name, memory_gib)) FROM submissions_instancetype"
    " JOIN unnest(%s::text[], %s::text[]) AS wanted (provider, name) USING (provider, name)"
    " WHERE memory_gib IS NOT NULL)"
)


def data_columns(document: Mapping[str, Any], trials: Sequence[Mapping[str, Any]], memory: Memory) -> dict[str, Any]:
    """Of a document as it is stored, and the columns of its trials."""
    size = data_size(document, trials)
    ratio = data_to_memory(document, size, memory)
    return {
        "data_bytes": size and size.mean_bytes,
        "data_to_memory": ratio,
        "data_fit": fit_of(ratio),
    }


def types_in(documents: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Providers and names, the parameters of MEMORY_OF_TYPES, of what the documents do not state."""
    types = sorted({machine_type for document in documents for machine_type in machine_types(document)})
    return [provider for provider, _ in types], [name for _, name in types]


def memory_in(rows: Collection[tuple[str, str, float]] | None) -> dict[MachineType, float]:
    """From the answer of MEMORY_OF_TYPES."""
    return {(provider, name): gib for provider, name, gib in rows or ()}


def memory_of(documents: Iterable[Mapping[str, Any]]) -> Memory:
    """Of the catalogue. One query, none where the documents state it all."""
    providers, names = types_in(documents)
    if not names:
        return {}
    with connections[router.db_for_read(InstanceType)].cursor() as cursor:
        cursor.execute(f"SELECT {MEMORY_OF_TYPES}", [providers, names])
        return memory_in(cursor.fetchone()[0])
