"""Names of files that leave the site: of which page, and of which day."""

import re
from datetime import date
from urllib.parse import parse_qs, urlsplit

_LONGEST = 70
_SHORTENED = re.compile(r"\b[0-9a-f]{12,}\b")  # a fingerprint: its start is enough
_WORDS = {"provider": "cloud"}
_GROUPED_BY = {
    "groups": "provider",
    "leaderboard": "instance_type",
}  # by the key of the chart, if its page says no other


def picture_name(path: str, key: str, day: date) -> str:
    """ "/value/?by=provider" -> "benchsite-value-by-cloud-2026-11-22"; `key` is of the chart on its page."""
    return f"benchsite-{chart_name(path, key)}-{day.isoformat()}"


def chart_name(path: str, key: str) -> str:
    """The same without site and day: "value-by-cloud"."""
    parts = urlsplit(path)
    page = "-".join(part for part in parts.path.split("/") if part) or "home"
    what = "" if key in page or page == "home" else key
    if key in _GROUPED_BY:
        by = parse_qs(parts.query).get("by", [_GROUPED_BY[key]])[-1]
        what = f"by-{grouping_name(by)}"
    name = re.sub(r"[^a-z0-9]+", "-", f"{page}-{what}".lower()).strip("-")
    return _SHORTENED.sub(lambda found: found[0][:8], name)[:_LONGEST].strip("-")


def grouping_name(by: str) -> str:
    """What readers call it: "cloud" for provider."""
    return _WORDS.get(by, by).replace("_", "-")
