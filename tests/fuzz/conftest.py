"""Prints how many requests `make fuzz` sent, and how they were answered."""

from collections import Counter, defaultdict

from tests.fuzz.cases import EXAMPLES


def pytest_terminal_summary(terminalreporter):
    if not EXAMPLES:
        return
    sent = defaultdict(Counter)
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "fuzzed" and report.when == "call":
                    part, statuses = value
                    sent[part].update(statuses)
    terminalreporter.section("sent")
    for part, statuses in sorted(sent.items()):
        answers = ", ".join(f"{count:,} x {status}" for status, count in sorted(statuses.items()))
        terminalreporter.line(f"{part}: {statuses.total():,} ({answers})")
