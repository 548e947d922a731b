"""The goals of the site's speed, beside what a run found: met, missed or not measured."""

from typing import Any

Figures = dict[str, Any]

HEAD = ["work", "goal", "found", "met"]
CHEAP = ("list", "home", "value", "leaderboard", "compare")
COSTLY = ("scaling", "grid", "history", "sizing")


def goals(found: Figures) -> list[list[str]]:
    """Rows of a table. Pages at the largest number of rows that was measured, the rest where it was."""
    sizes = [of_rows for _, of_rows in sorted(found["rows"].items(), key=lambda item: int(item[0]))]
    checks = (_cheap, _growth, _costly, _unchanged, _kept, _posts, _bulk, _log, _memory, _start, _crowd, _sizes, _csv)
    rows: list[list[str]] = []
    for check in checks:
        rows += check(found, sizes)
    return rows


def total(cpu: Figures) -> float:
    return float(cpu["python"] + cpu["postgres"] + cpu["redis"])


def share_of_floor(both: Figures) -> float:
    """The CPU that the floor takes for the same: what else the machine does changes it least."""
    return total(both["floor"]["cpu"]) / total(both["site"]["cpu"])


def _row(work: str, goal: str, found: str | None, is_met: bool) -> list[str]:
    if found is None:
        return [work, goal, "not measured", ""]
    return [work, goal, found, "met" if is_met else "missed"]


def _last(sizes: list[Figures], key: str) -> Figures | None:
    return next((of_rows[key] for of_rows in reversed(sizes) if key in of_rows), None)


def _of_page(of_rows: Figures, name: str) -> float | None:
    """Times the floor, of the first reader after an upload; infinite where there was no answer."""
    page = of_rows.get("pages", {}).get(name)
    if page is None:
        return None
    if page["status"] != 200:
        return float("inf")
    return total(page["cold"]["cpu"]) / total(of_rows["floors"]["table"])


def _pages(sizes: list[Figures], names: tuple[str, ...], limit: float) -> list[list[str]]:
    rows = []
    for name in names:
        times = _of_page(sizes[-1], name) if sizes else None
        shown = None if times is None else f"{times:.1f} x" if times < float("inf") else "no answer"
        rows.append(
            _row(f"{name}, first reader after an upload", f"<= {limit:g} x the table", shown, (times or 0) <= limit)
        )
    return rows


def _cheap(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    return _pages(sizes, CHEAP, 4)


def _costly(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    return _pages(sizes, COSTLY, 8)


def _growth(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    """The largest set of rows against the smallest."""
    growth = {
        name: largest / smallest
        for name in CHEAP
        if len(sizes) > 1 and (largest := _of_page(sizes[-1], name)) and (smallest := _of_page(sizes[0], name))
    }
    if not growth:
        return [_row("the same, most rows : fewest", "<= 1.3 x", None, False)]
    name = max(growth, key=lambda name: growth[name])
    return [_row("the same, most rows : fewest", "<= 1.3 x", f"{growth[name]:.2f} x ({name})", growth[name] <= 1.3)]


def _own(sizes: list[Figures], part: str, limit: float, work: str) -> list[list[str]]:
    """CPU of the pages above, less that of an answer that does nothing."""
    named = (_last(sizes, "pages") or {}).items()
    pages = [page for name, page in named if name in (*CHEAP, *COSTLY) and page["status"] == 200]
    if not pages:
        return [_row(work, f"<= {limit:g} ms", None, False)]
    nothing = total((_last(sizes, "floors") or {})["nothing"])
    parts = [page.get(part) for page in pages]
    if any(not of or of.get("share_304", 1) < 1 for of in parts):
        return [_row(work, f"<= {limit:g} ms", "some pages never", False)]
    most = max(total(of["cpu"]) for of in parts if of) - nothing
    return [_row(work, f"<= {limit:g} ms", f"{most:.2f} ms more than an empty answer", most <= limit)]


def _unchanged(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    return _own(sizes, "unchanged", 1, "unchanged page (304), CPU")


def _kept(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    return _own(sizes, "kept", 2, "anonymous page kept, CPU")


def _posts(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    uploads = _last(sizes, "uploads")
    rows = []
    for name, key in (("POST, one at a time", "post"), ("POST, eight at a time", "post c8")):
        share = uploads and share_of_floor(uploads[key])
        rows.append(_row(name, ">= 0.07 of the floor", _share(share), (share or 0) >= 0.07))
    return rows


def _bulk(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    uploads = _last(sizes, "uploads")
    share = uploads and share_of_floor(uploads["bulk"])
    return [_row("bulk", ">= 0.4 of COPY", _share(share), (share or 0) >= 0.4)]


def _share(share: float | None) -> str | None:
    return None if share is None else f"{share:.2f}"


def _log(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    log = _last(sizes, "log")
    times = log and (log["cpu"]["python"] - log["web"]["python"]) / 1000 / log["reading_seconds"]
    shown = log and (f"{times:.1f} x" if log["is_done"] else log["status"])
    is_met = bool(log and log["is_done"] and times <= 5)
    return [_row("273 MB log, CPU of the worker", "<= 5 x reading its lines", shown, is_met)]


def _memory(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    fresh = found["start"] and sum(found["start"]["memory"].values())
    after = _last(sizes, "memory")
    used = after and sum(after["after"].values())
    return [
        _row("whole local site, fresh, PSS", "<= 450 MB", fresh and f"{fresh:.0f} MB", (fresh or 0) <= 450),
        _row("whole local site, at the end, PSS", "<= 600 MB", used and f"{used:.0f} MB", (used or 0) <= 600),
    ]


def _start(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    start = found["start"] or {}
    return [
        _row(f"start, {name}", f"<= {limit} s", seconds and f"{seconds:.1f} s", (seconds or 0) <= limit)
        for name, seconds, limit in (
            ("empty folder", start.get("empty_seconds"), 15),
            ("again", start.get("again_seconds"), 6),
        )
    ]


def _crowd(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    crowd = _last(sizes, "crowd")
    post, probe = (crowd[name]["p99_ms"] if crowd else None for name in ("uploads", "healthz"))
    errors = crowd and sum(part["errors"] for part in crowd.values())
    return [
        _row("200 readers: POST p99", "<= 1 s", _ms(post), (post or 0) <= 1000),
        _row("200 readers: /healthz p99", "<= 150 ms", _ms(probe), (probe or 0) <= 150),
        _row("200 readers: errors", "0", None if errors is None else str(errors), errors == 0),
    ]


def _sizes(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    """The goal is that of pages without a chart; what a chart adds to its page has none, and is shown."""
    pages = [(name, page) for name, page in (_last(sizes, "pages") or {}).items() if page["status"] == 200]
    bare, bare_kb = _largest([(name, page) for name, page in pages if not page.get("has_chart")])
    drawn, _ = _largest([(name, page) for name, page in pages if page.get("has_chart")])
    bundle_bytes = _last(sizes, "chart_bundle_bytes")
    bundle_kb = bundle_bytes and bundle_bytes / 1000
    return [
        _row("largest page without a chart, gzip", "<= 40 kB", bare, bare_kb <= 40),
        ["largest page with charts, gzip", "none", drawn or "not measured", ""],
        _row(
            "library of the charts, brotli", "<= 330 kB", bundle_kb and f"{bundle_kb:.1f} kB", (bundle_kb or 0) <= 330
        ),
    ]


def _largest(pages: list[tuple[str, Figures]]) -> tuple[str | None, float]:
    """In words, and in kB."""
    if not pages:
        return None, 0.0
    name, page = max(pages, key=lambda named: named[1]["gzip_bytes"])
    return f"{page['gzip_bytes'] / 1000:.1f} kB ({name})", page["gzip_bytes"] / 1000


def _csv(found: Figures, sizes: list[Figures]) -> list[list[str]]:
    export = _last(sizes, "export")
    first, peak = (export["csv"]["first_byte_ms"], export["dump"]["peak_mb"]) if export else (None, None)
    return [
        _row("CSV of everything, first byte", "<= 1 s", _ms(first), (first or 0) <= 1000),
        _row("memory of a dump", "<= 200 MB", peak and f"{peak:.0f} MB", (peak or 0) <= 200),
    ]


def _ms(value: float | None) -> str | None:
    return None if value is None else f"{value:,.0f} ms"
