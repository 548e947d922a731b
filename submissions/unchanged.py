"""The addresses whose answers are made from what is stored alone: what is unchanged is not made again."""

from django.utils import timezone

from submissions.models import data_state

PAGES = (
    "home",
    "list",
    "recommend",
    "detail",
    "classics",
    "services",
    "service",
    "workloads",
    "workload",
    "value",
    "compare",
    "grid",
    "one_fact",
    "history",
    "scaling",
    "size",
    "prices",
    "search",
    "methodology",
    "feed",
    "service_feed",
    "data",
    "croissant",
    "data_citation",
    "sitemap",
    "sitemap_part",
)
API = (
    "submission-list",
    "submission-detail",
    "trial-list",
    "host-list",
    "artifact-list",
    "bill",
    "moderation",
    "compare",
    "one-fact",
    "recommend",
    "scaling",
    "size",
    "grid",
    "history",
    "leaderboard",
    "price-list",
    "search",
    "value",
    "chart",
    "index",
    "schema",
)
# All others that can be read, and why their answers may change without a change of what is stored.
NOT_BY_DATA = {
    "submissions": {
        "artifact": "a file is streamed",
        "dataset_file": "a file is streamed",
        "new": "forms",
        "preview": "an upload on its way",
        "batch": "an upload on its way",
        "batch-result": "an upload on its way",
        "moved_size": "a redirect",
        "account": "one's own account",
        "create_token": "one's own account",
        "revoke_all_tokens": "one's own account",
        "revoke_token": "one's own account",
        "close_account": "one's own account",
        "accept_invitation": "one's own account",
        "retract": "one's own account",
        "change": "one's own account",
        "short_link": "a redirect",
        "about_short_link": "short links are stored beside the data",
        "shorten": "takes forms only",
        "embed": "has a content security policy and caches of its own",
        "chart_numbers": "a redirect",
        "oembed": "has caches of its own",
        "card": "has caches of its own, and an ETag of its content",
        "badge": "has caches of its own, and an ETag of its content",
        "report": "a form",
        "moderation": "tells moderators how many reports wait",
        "moderation_queue": "for moderators",
        "moderation_decision": "for moderators",
        "moderation_account": "for moderators",
        "terms": "by settings only",
        "privacy": "by settings only",
        "security_txt": "names a day to come",
        "robots": "by settings only",
    },
    "api": {
        "submission-import": "takes files only",
        "submission-bulk": "takes rows only",
        "submission-retract": "takes orders only",
        "submission-report": "takes reports only",
        "upload-status": "an upload on its way",
        "artifact-download": "a file is streamed",
        "intervals": "a file is streamed",
        "token-list": "one's own account",
        "token-detail": "one's own account",
        "token-current": "one's own account",
        "docs": "has no data",
        "console": "has no data",
    },
}

NAMES = [f"submissions:{name}" for name in PAGES] + [f"api:{name}" for name in API]


def state() -> str | None:
    """With the hour: some pages name a time until which something can be done, and prices grow old by the day."""
    stored = data_state()
    return None if stored.reached is None else repr((stored, f"{timezone.now():%Y-%m-%dT%H}"))
