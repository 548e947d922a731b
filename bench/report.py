"""Figures as tables: each number of rows, the goals, before and after."""

import os
import platform
from collections.abc import Sequence
from typing import Any

from bench.goals import HEAD, goals, share_of_floor, total

Figures = dict[str, Any]


def machine() -> Figures:
    return {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}


def whole(found: Figures, before: Figures | None) -> str:
    """Every table of a run; with the figures of another one, what has changed."""
    parts = [pages(rows, of_rows) for rows, of_rows in found["rows"].items() if "pages" in of_rows]
    parts += [uploads(rows, of_rows["uploads"]) for rows, of_rows in found["rows"].items() if "uploads" in of_rows]
    parts.append(memory(found))
    parts.append(table([HEAD, *goals(found)]))
    if before:
        parts.append(compared(before, found))
    return "\n\n".join(filter(None, parts))


def pages(rows: str, found: Figures) -> str:
    floor = total(found["floors"]["table"])
    head = [
        "page",
        "cold CPU",
        "x floor",
        "cold ms",
        "changed CPU",
        "changed ms",
        "warm CPU",
        "x floor",
        "c8/s",
        "c8 p99 ms",
        "kept",
        "304",
        "gzip kB",
    ]
    lines = [[name, *_page(page, floor)] for name, page in found["pages"].items()]
    floors = "; ".join(f"{name} {_ms(total(cpu))} ms" for name, cpu in found["floors"].items())
    title = f"{int(rows):,} rows: CPU ms of a request (Python + PostgreSQL); floors: {floors}"
    return f"{title}\n{table([head, *lines])}"


def uploads(rows: str, found: Figures) -> str:
    head = [f"{int(rows):,} rows", "a second", "CPU", "floor a second", "CPU", "floor : site"]
    lines = []
    for name, both in found.items():
        site, floor = both["site"], both["floor"]
        speeds = (f"{site['per_second']:,.0f}", _cpu(site["cpu"]), f"{floor['per_second']:,.0f}", _cpu(floor["cpu"]))
        lines.append([name, *speeds, f"{share_of_floor(both):.3f}"])
    return table([head, *lines])


def memory(found: Figures) -> str:
    """MB by what the processes are for: PSS, which counts once what several share."""
    readings = (
        {"first start": found["start"]["memory"], "again": found["start"]["memory_again"]} if found["start"] else {}
    )
    for rows, of_rows in found["rows"].items():
        readings |= {f"{int(rows):,} rows, {name}": groups for name, groups in of_rows["memory"].items()}
    if not readings:
        return ""
    names = sorted({name for groups in readings.values() for name in groups})
    lines = [
        [what, *(f"{groups.get(name, 0):.0f}" for name in names), f"{sum(groups.values()):.0f}"]
        for what, groups in readings.items()
    ]
    return table([["PSS, MB", *names, "sum"], *lines])


def compared(before: Figures, found: Figures) -> str:
    """Each figure that both runs have: CPU of pages in floors of their own run, rates as shares of their floors."""
    lines = []
    for rows, of_rows in found["rows"].items():
        there = before["rows"].get(rows, {})
        for name, value in _ratios(of_rows).items():
            if (then := _ratios(there).get(name)) is not None:
                lines.append(
                    [
                        f"{int(rows):,} rows: {name}",
                        f"{then:.2f}",
                        f"{value:.2f}",
                        f"{value / then:.2f} x" if then else "",
                    ]
                )
    about = f"before: {before['about']['commit']} {before['about']['note']}, {before['about']['time']}"
    return f"{about}\n{table([['in floors', 'before', 'now', 'now : before'], *lines])}" if lines else ""


def _ratios(of_rows: Figures) -> dict[str, float]:
    ratios: dict[str, float] = {}
    floor = total(of_rows["floors"]["table"]) if "floors" in of_rows else 0.0
    for name, page in of_rows.get("pages", {}).items():
        for part in ("cold", "changed", "warm", "kept", "unchanged"):
            if page.get(part):
                ratios[f"{name}, {part}"] = total(page[part]["cpu"]) / floor
    for name, both in of_rows.get("uploads", {}).items():
        ratios[f"{name}, floor : site"] = share_of_floor(both)
    return ratios


def _page(page: Figures, floor: float) -> list[str]:
    if page["status"] != 200:
        why = f"answered {page['status']}" if page["status"] else "no answer"
        return [_cpu(page["cold"]["cpu"]), why, _ms(page["cold"]["ms"]), *[""] * 9]
    changed, warm, crowd, unchanged = page.get("changed"), page.get("warm"), page.get("c8"), page["unchanged"]
    return [
        *(_cpu(page["cold"]["cpu"]), _times(page["cold"]["cpu"], floor), _ms(page["cold"]["ms"])),
        *((_cpu(changed["cpu"]), _ms(changed["ms"])) if changed else ("", "")),
        *((_cpu(warm["cpu"]), _times(warm["cpu"], floor)) if warm else ("", "")),
        *((f"{crowd['per_second']:.0f}", _ms(crowd["p99_ms"] or 0)) if crowd else ("", "")),
        _ms(total(page["kept"]["cpu"])),
        _ms(total(unchanged["cpu"])) if unchanged and unchanged["share_304"] == 1 else "none",
        f"{page['gzip_bytes'] / 1000:.1f}",
    ]


def _cpu(cpu: Figures) -> str:
    return f"{_ms(cpu['python'])} + {_ms(cpu['postgres'])}"


def _times(cpu: Figures, floor: float) -> str:
    return f"{total(cpu) / floor:.1f} x"


def table(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the head, the first column names the others."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [_line(row, widths) for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (
        cell.ljust(width) if not at else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *rest]).rstrip()


def _ms(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
