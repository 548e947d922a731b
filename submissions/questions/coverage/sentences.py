"""The coverage map in words."""

from submissions.formatting.names import provider_name, service_name
from submissions.formatting.numbers import amount
from submissions.formatting.text import plural
from submissions.questions.boards.counts import excluded_sentence
from submissions.questions.coverage.query import By, Cell, Column, CoverageResult, NoRun, Row
from submissions.questions.recommend.work import Work

EXPLANATION = (
    "How many results each database has on each provider and machine family, and what a run of a gap would cost."
)
UNKNOWN_WORK = "work unknown"
UNKNOWN_FAMILY = "other types"  # whose names have no family

_COLUMNS = {By.PROVIDER: "provider", By.MACHINE_FAMILY: "machine family"}


def finding(result: CoverageResult) -> str:
    cells = len(result.rows) * len(result.columns)
    if not cells:
        return "Nothing was measured here yet, and this site can run nothing here."
    measured = len(result.measured)
    combinations = plural(cells, "combination")
    column = _COLUMNS[result.params.by]
    words = f"{plural(result.results, 'result')} in {measured:,} of {combinations} of database, work and {column}."
    return " ".join(filter(None, (words, _of_gaps(result))))


def _of_gaps(result: CoverageResult) -> str:
    n, usd = len(result.fillable), result.least_usd
    if usd is None:
        return ""
    return f"A run on this site can fill {plural(n, 'gap')}, from about {amount(usd)}."


def caveats(result: CoverageResult) -> list[str]:
    excluded = excluded_sentence(result.counts)
    return [*_historical(result), *([f"All databases together. {excluded}"] if excluded else [])]


def _historical(result: CoverageResult) -> list[str]:
    n = result.counts.historical
    if not n or result.trust_filter.trust is not None:
        return []
    words = f"{plural(n, 'historical result')} from articles, of workloads without any raw log"
    return [f"All databases together include {words}."]


def row_name(row: Row) -> str:
    """ "Apache Cassandra, mostly writes"."""
    return f"{service_name(row.service)}, {work_words(row.work)}"


def work_words(work: str) -> str:
    return Work(work).label if work else UNKNOWN_WORK


def column_name(column: Column, by: By) -> str:
    """ "AWS i4i"."""
    provider = provider_name(column.provider)
    return provider if by == By.PROVIDER else f"{provider} {column.machine_family or UNKNOWN_FAMILY}"


def no_run_sentence(result: CoverageResult, cell: Cell) -> str:
    """Of an empty cell without a run."""
    match result.no_run_because(cell):
        case NoRun.PROVIDER:
            return f"This site starts no runs on {provider_name(cell.column.provider)}."
        case NoRun.DATABASE:
            return f"Runs on this site do not support {row_name(cell.row)}."
        case NoRun.MACHINE:
            return "No machine type of this family has a known price within the limit of a run on this site."
