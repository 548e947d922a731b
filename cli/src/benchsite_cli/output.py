"""What commands print: tables and sentences to the output, progress and problems to the error output."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

_UNFOLDED = 2_000  # columns: more than any row has


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
    """`numbers` are the columns that are aligned to the right. On a terminal cells are folded, elsewhere no line is."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        is_number = index in numbers
        table.add_column(heading, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row in rows:
        table.add_row(*row)
    if sys.stdout.isatty():
        Console().print(table)
        return
    console = Console(width=_UNFOLDED, file=StringIO(), color_system=None)
    with console.capture() as printed:
        console.print(table)
    write("\n".join(line.rstrip() for line in printed.get().splitlines()))


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
