"""The receipt of a run, signed by the site: by itself, and with the plan in the bundle of the run's result."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse

from runners.models import Run
from submissions.bundles.contents import made_by
from submissions.bundles.file import BundleFile, of_json
from submissions.bundles.statement import signed
from submissions.models import Submission

RECEIPT = "urn:benchsite:receipt:v1"
FILE_NAME = "receipt.json"


def signed_receipt(run: Run, *, with_details: bool) -> dict[str, Any]:
    """A DSSE envelope around an in-toto statement; the predicate has the receipt itself, the subject is its file.

    Without details it is the receipt that a bundle of the run's result has. Raises ValueError where there is none.
    """
    if run.receipt is None:
        raise ValueError(f"run {run.pk} has no receipt")
    receipt = run.receipt if with_details else for_everyone(run.receipt)
    predicate = {
        "site": settings.SITE_URL,
        "run": {
            "id": run.pk,
            "address": f"{settings.SITE_URL}{reverse('runners:detail', args=[run.pk])}",
            "status": run.status,
            "end_reason": run.end_reason,
            "created_at": run.created_at,
            "ended_at": run.ended_at,
            "submission": run.submission_id,
        },
        "made_by": made_by(),
        "receipt": receipt,
    }
    return signed(RECEIPT, [of_json(FILE_NAME, receipt)], predicate)


def for_everyone(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Without what only the account's owner needs: the ids that the cloud gave the machines."""
    machines = [{name: line[name] for name in line if name != "provider_id"} for line in receipt["machines"]]
    return {**{name: receipt[name] for name in receipt if name != "left_behind"}, "machines": machines}


def files_of_runs(submission: Submission) -> Iterator[BundleFile]:
    """Plan and receipt of the run that measured it; both are shown on the run's page to the same readers."""
    for run in submission.runs.order_by("pk").only("plan", "receipt"):
        yield of_json(f"run/{run.pk}/plan.json", run.plan)
        if run.receipt is not None:
            yield of_json(f"run/{run.pk}/{FILE_NAME}", for_everyone(run.receipt))
