"""What commands print: tables and sentences to the output, progress and problems to the error output."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchsite_cli.logs.publishing import CHECKED, DUPLICATE, KNOWN, NOT_SENT, PUBLISHED, REFUSED, Outcome, Row
from benchsite_cli.site import Json

_OUTCOMES = {
    PUBLISHED: "[green]published[/]",
    KNOWN: "[green]published before[/]",
    CHECKED: "[green]can be published[/]",
    DUPLICATE: "[yellow]same content[/]",
    REFUSED: "[red]refused[/]",
    NOT_SENT: "[red]not sent[/]",
}


def write(text: str) -> None:
    """To the output, as it is."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def write_json(content: Any) -> None:
    write(json.dumps(content, indent=2, ensure_ascii=False))


@contextmanager
def progress(label: str, total: int, *, is_quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing elsewhere; yields what advances it by one."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    is_hidden = is_quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=is_hidden) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[int] = ()) -> None:
    """`numbers` are the columns that are aligned to the right. Without a terminal no line is cut."""
    console = terminal_or_wide()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        is_number = index in numbers
        table.add_column(heading, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def terminal_or_wide() -> Console:
    """As wide as the terminal; elsewhere so wide that no line is broken."""
    return Console() if sys.stdout.isatty() else Console(width=2_000)


def print_outcome(outcome: Outcome) -> None:
    rows = [
        [escape(row.file), row.tool or "", figure(row.own_ops_s), figure(row.own_p99_ms), _result(row)]
        for row in outcome.rows
    ]
    print_table(["File", "Format", "ops/s", "p99 ms", "Result"], rows, numbers=(2, 3))
    write("")
    write(summary(outcome))
    for note in notes(outcome):
        write(note)


def summary(outcome: Outcome) -> str:
    """One line: how many of what."""
    counts = [
        (len(outcome.results), "result"),
        (sum(row.outcome == REFUSED for row in outcome.rows), "refused file"),
        (sum(row.outcome == NOT_SENT for row in outcome.rows), "file not sent"),
    ]
    parts = [plural(count, what) for count, what in counts if count]
    return f"{plural(len(outcome.rows), 'file')}: {', '.join(parts)}."


def notes(outcome: Outcome) -> list[str]:
    """What a result lacks and what that costs it, as the site says; each once."""
    lines: dict[str, list[str]] = {}
    for result in outcome.results:
        for fact in (result.get("missing") or {}).get("facts", []):
            lines.setdefault(f"{fact['fact']}: {fact['effect']}", []).append(name_of(result))
    return [f"Missing {line} ({', '.join(names)})" for line, names in lines.items()]


def name_of(result: Json) -> str:
    return f"#{result['id']}" if "id" in result else str(result["title"])


def figure(value: float | None) -> str:
    """With the digits that matter; unknown is a dash, never 0."""
    if value is None:
        return "—"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def plural(count: int, what: str) -> str:
    noun, _, rest = what.partition(" ")
    if what.startswith("refused"):
        return f"{count} refused"
    return f"{count} {noun}{'' if count == 1 else 's'}{' ' + rest if rest else ''}"


def _result(row: Row) -> str:
    text = _OUTCOMES[row.outcome]
    if row.reasons:
        return f"{text}: {escape('; '.join(row.reasons))}"
    trials = f" (one of {plural(len(row.together_with) + 1, 'file')})" if row.together_with else ""
    return f"{text}{trials} {' '.join(_place(each) for each in row.results)}".rstrip()


def _place(result: Json) -> str:
    """The address; on a terminal a number that leads there."""
    url = str(result.get("url", ""))
    if not url or not sys.stdout.isatty():
        return escape(url)
    return f"[link={url}]#{result['id']}[/link]" if "id" in result else escape(url)
