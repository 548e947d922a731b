"""What became of the files of an upload, in words: a table that fits a terminal of 80 columns, reasons below it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.markup import escape

from benchsite_cli.logs.publishing import (
    ALREADY_PUBLISHED,
    CHECKED,
    DUPLICATE,
    KNOWN,
    NOT_SENT,
    PUBLISHED,
    REFUSED,
    Outcome,
    Row,
)
from benchsite_cli.output import figure, plural, print_table, write
from benchsite_cli.site import Json

MOST_NUMBERS = 3  # of results that are named in one place
_OUTCOMES = {
    PUBLISHED: "[green]published[/]",
    KNOWN: "[green]known[/]",
    CHECKED: "[green]can be published[/]",
    DUPLICATE: "[yellow]same content[/]",
    ALREADY_PUBLISHED: "[yellow]refused[/]",
    REFUSED: "[red]refused[/]",
    NOT_SENT: "[red]not sent[/]",
}


def print_outcome(outcome: Outcome) -> None:
    rows = [
        [escape(row.file), row.tool or "", figure(row.own_ops_s), figure(row.own_p99_ms), _result(row)]
        for row in outcome.rows
    ]
    print_table(["File", "Format", "ops/s", "p99 ms", "Result"], rows, numbers=(2, 3))
    for paragraph in (_reasons(outcome.rows), [summary(outcome)], _results(outcome), notes(outcome), _next(outcome)):
        if lines := list(paragraph):
            write("\n".join(("", *lines)))


def summary(outcome: Outcome) -> str:
    """One line: how many of what."""
    counts = [
        (len(outcome.results), "result"),
        (sum(row.outcome in (REFUSED, ALREADY_PUBLISHED) for row in outcome.rows), "refused file"),
        (sum(row.outcome == NOT_SENT for row in outcome.rows), "file not sent"),
    ]
    parts = [plural(count, what) for count, what in counts if count]
    return f"{plural(len(outcome.rows), 'file')}: {', '.join(parts)}."


def notes(outcome: Outcome) -> list[str]:
    """What a result lacks and what that costs it, as the site says; each once."""
    lines: dict[str, list[Json]] = {}
    for result in outcome.results:
        for fact in (result.get("missing") or {}).get("facts", []):
            lines.setdefault(f"{fact['fact']}: {fact['effect']}", []).append(result)
    return [f"Missing {line} ({_which(results, len(outcome.results))})" for line, results in lines.items()]


def _which(results: Sequence[Json], total: int) -> str:
    if len(results) == total or any("id" not in result for result in results):
        return "all results" if 1 < len(results) == total else f"{len(results)} of {plural(total, 'result')}"
    return numbers(results)


def numbers(results: Sequence[Json]) -> str:
    """ "#140, #141", or "#140, #141, #142 and 9 more"; of what is not stored nothing."""
    names = [f"#{result['id']}" for result in results if "id" in result]
    more = len(names) - MOST_NUMBERS
    return f"{', '.join(names[:MOST_NUMBERS])} and {more} more" if more > 0 else ", ".join(names)


def _reasons(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.reasons:
            yield f"{row.file}: {'; '.join(row.reasons)}"
    if any(row.outcome == ALREADY_PUBLISHED for row in rows):
        yield "To publish such logs again, with these facts, add --allow-duplicates."


def _results(outcome: Outcome) -> Iterator[str]:
    """The address of each, then its rank, its flags and whether it waits."""
    for result in outcome.results:
        if "id" not in result:
            continue
        yield f"#{result['id']}  {result.get('url', '')}"
        flags = ", ".join(result.get("flags") or ())
        words = [outcome.ranks.get(result["id"], ""), f"flags: {flags}" if flags else ""]
        if said := "; ".join(filter(None, words)):
            yield f"    {said}"
    today = datetime.now(UTC).date().isoformat()
    days = (str(result.get("unranked_until") or "")[:10] for result in outcome.results)
    dates = sorted(day for day in days if day > today)
    if dates:
        yield (
            "The first results of a new account are reviewed: they join the leaderboards on"
            f" {dates[-1]}, or earlier once reviewed."
        )


def _next(outcome: Outcome) -> Iterator[str]:
    labels = {"compare": "Compare these", "leaderboard": "Leaderboard", "mine": "All of yours"}
    for name, label in labels.items():
        if address := (outcome.next or {}).get(name):
            yield f"{label}: {address}"


def _result(row: Row) -> str:
    """Without its reasons, which may be long, and without addresses: those follow the table."""
    trials = f", one of {plural(len(row.together_with) + 1, 'file')}" if row.together_with and row.results else ""
    return f"{_OUTCOMES[row.outcome]} {numbers(row.results)}{trials}".replace(" ,", ",").rstrip()
