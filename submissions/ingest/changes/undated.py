"""Results that older versions stored without a date, and so without a price: they take the day of their receipt."""

import logging

from benchsite.http.refusals import Refusal
from submissions.choices import Trust
from submissions.ingest.pipeline import Prepared, checked, prepare_checked
from submissions.ingest.store import rows
from submissions.models import NodeGroup, Submission

log = logging.getLogger(__name__)

_COLUMNS = (
    "measured_at",
    "measured_at_source",
    "hourly_usd",
    "ops_per_usd",
    "usd_per_million_ops",
    "price_date",
    "price_last_seen",
    "is_price_stated",
    "price_missing",
)
_PRICE_COLUMNS = (
    *("node_hourly_usd", "storage_hourly_usd", "is_price_stated"),
    *("price_source", "price_date", "price_last_seen"),
)


def date_undated() -> int:
    """How many were dated; the documents stay, so that their owners can still see that they stated no date."""
    dated = 0
    for submission in list(Submission.objects.filter(measured_at=None).order_by("pk")):
        trust = Trust(submission.trust)
        try:
            document = checked(submission.document, trust)
        except Refusal as refused:  # by a rule that is younger than the document
            log.warning("submission %s stays without a date: %s", submission.pk, refused)
            continue
        _write(submission, prepare_checked(document, trust=trust, received_at=submission.created_at))
        dated += 1
    return dated


def _write(submission: Submission, prepared: Prepared) -> None:
    columns = rows.submission_columns(prepared, memory={})
    Submission.objects.filter(pk=submission.pk).update(**{name: columns[name] for name in _COLUMNS if name in columns})
    for group in rows.node_group_columns(prepared):
        same = NodeGroup.objects.filter(submission=submission, position=group["position"])
        same.update(**{name: group[name] for name in _PRICE_COLUMNS})
