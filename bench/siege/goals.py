"""The goals of the siege, beside what it found: met or missed."""

from typing import Any

from bench.siege.addresses import MOST_SECONDS
from bench.siege.memory import MOST_MIB, MOST_OF_ONE_MIB
from bench.siege.prices import MEDIAN_SECONDS, SLOWEST_SECONDS

Figures = dict[str, Any]
HEAD = ["siege", "goal", "found", "met"]
MOST_TIMES = 2.0  # as long as without slow clients


def goals(found: Figures) -> list[list[str]]:
    rows = [*_slow(found), *_prices(found), *_addresses(found), *_memory(found), *_lock(found), *_crowd(found)]
    errors = found["server_errors"]
    shown = ", ".join(f"{count} x {what}" for what, count in errors.items()) or "0"
    return [*rows, _row("server errors of all that was asked", "0", shown, not errors)]


def address_rows(found: list[Figures]) -> list[list[str]]:
    """With its head: CPU ms of one request, as it was and now."""
    rows = [["CPU ms with three heavy results stored", "old web", "old PostgreSQL", "web", "PostgreSQL", "answers", ""]]
    for each in found:
        answers = ", ".join(dict.fromkeys(each["statuses"]))
        met = ("met" if _is_met(each) else "missed") if each["has_goal"] else ""
        old = [f"{each[key]:,.0f}" if each[key] is not None else "" for key in ("old_web_ms", "old_postgres_ms")]
        rows.append([each["name"], *old, f"{each['web_ms']:,.0f}", f"{each['postgres_ms']:,.0f}", answers, met])
    return rows


def _is_met(address: Figures) -> bool:
    """An answer that refuses costs little, and is none."""
    return bool(address["is_met"]) and set(address["statuses"]) == {"200"}


def _row(work: str, goal: str, found: str, is_met: bool) -> list[str]:
    return [work, goal, found, "met" if is_met else "missed"]


def _slow(found: Figures) -> list[list[str]]:
    if "slow" not in found:
        return []
    times = found["slow"]["page"]["median_ms"] / found["slow"]["quiet"]["median_ms"]
    return [_row("slow clients: a page", f"<= {MOST_TIMES:g} x as long", f"{times:.2f} x", times <= MOST_TIMES)]


def _prices(found: Figures) -> list[list[str]]:
    rows = []
    for key, limits in (("prices, limits of a fresh site", "limits of a fresh site"), ("prices", "limits as started")):
        if key not in found:
            continue
        page = found[key]["page"]
        for name, value, most in (
            ("median", page["median_ms"], MEDIAN_SECONDS),
            ("slowest", page["slowest_ms"], SLOWEST_SECONDS),
        ):
            is_met = value <= most * 1000 and set(page["statuses"]) == {"200"}
            work = f"12 readers of the price book, {limits}: a page's {name}"
            rows.append(_row(work, f"<= {most:g} s", f"{value / 1000:.2f} s", is_met))
    return rows


def _addresses(found: Figures) -> list[list[str]]:
    measured = [each for each in found.get("addresses", []) if each["has_goal"]]
    if not measured:
        return []
    worst = max(measured, key=lambda each: float(each["web_ms"] + each["postgres_ms"]))
    shown = f"{(worst['web_ms'] + worst['postgres_ms']) / 1000:.2f} s ({worst['name']})"
    goal = f"<= {MOST_SECONDS:g} CPU s"
    return [_row("the review's worst addresses, heavy results stored", goal, shown, all(map(_is_met, measured)))]


def _memory(found: Figures) -> list[list[str]]:
    if "memory" not in found:
        return []
    memory = found["memory"]
    is_answered = set(memory["comparisons"]["statuses"]) <= {"200", "503"}
    peak, one = memory["peak_rss_mib"], memory["one_growth_mib"]
    shown = f"{peak:,.0f} MiB (PSS {memory['peak_pss_mib']:,.0f})"
    return [
        _row("six heavy comparisons at once: RSS", f"< {MOST_MIB} MiB", shown, is_answered and peak < MOST_MIB),
        _row("one heavy comparison: growth", f"<= {MOST_OF_ONE_MIB} MiB", f"{one:,.0f} MiB", one <= MOST_OF_ONE_MIB),
    ]


def _lock(found: Figures) -> list[list[str]]:
    return [
        _row(
            f"lock of a sign-in, {each['pages']['n']:,} pages, memory {memory}",
            "locked",
            "locked" if each["is_locked"] else "open",
            bool(each["is_locked"]),
        )
        for memory, each in found.get("lock", {}).items()
    ]


def _crowd(found: Figures) -> list[list[str]]:
    if "crowd" not in found:
        return []
    statuses = {**found["crowd"]["reads"]["statuses"], **found["crowd"]["posts"]["statuses"]}
    silent = {status for status in statuses if not status.isdigit()}
    return [_row("crowd of readers and uploaders: unanswered", "0", ", ".join(sorted(silent)) or "0", not silent)]
