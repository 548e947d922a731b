"""The page after publishing: what was published, how it ranks, and what to do with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from submissions.ingest import batches
from submissions.models import Upload
from submissions.questions.compare.form import MOST
from submissions.upload.batch.rows import Row, rows_of
from submissions.upload.outcome import sentences
from submissions.upload.outcome.addresses import Uploaded, alike_results, compare_address, next_addresses
from submissions.upload.outcome.query import PublishedResult, published_results


@dataclass(frozen=True, slots=True)
class ShownResult:
    result: PublishedResult
    is_chosen: bool  # to be compared with the other chosen ones

    @property
    def rank(self) -> str:
        return sentences.rank(self.result)

    @property
    def against_best(self) -> str:
        """ "" without a best one."""
        best = self.result.best
        return compare_address([best.pk, self.result.submission.pk]) if best else ""


@login_required
@require_safe
def outcome(request: HttpRequest, pk: UUID) -> HttpResponse:
    upload = get_object_or_404(Upload, pk=pk, owner=request.user, batch=None)
    parts = batches.load(upload) if upload.parts.exists() else []
    rows = rows_of(parts, ())
    done = [part.upload for part in parts if part.is_published] if parts else [upload]
    results = published_results(done, upload.owner)
    if not results and any(each.status == Upload.Status.DONE for each in done):
        raise Http404("No result of this upload can be seen any more.")
    if not results:
        return redirect("submissions:batch" if parts else "submissions:preview", pk=pk)
    skipped = [row for row in rows if not row.part.is_published]
    return render(request, "submissions/upload/outcome/page.html", _context(upload, results, rows, skipped, len(done)))


def _context(
    upload: Upload, results: Sequence[PublishedResult], rows: Sequence[Row], skipped: Sequence[Row], done: int
) -> dict[str, object]:
    files = done if upload.parts.exists() else len(upload.files)
    uploaded = [
        Uploaded(each.submission.pk, each.submission.workload.fingerprint, each.submission.is_open) for each in results
    ]
    alike = [each.pk for each in alike_results(uploaded)]
    chosen = (alike if len(alike) > 1 else [each.pk for each in uploaded])[:MOST]
    return {
        "upload": upload,
        "rows": rows,
        "results": [ShownResult(each, each.submission.pk in chosen) for each in results],
        "finding": sentences.finding(results, files, len(skipped)),
        "waiting": sentences.waiting(results),
        "skipped": skipped,
        "has_open": any(row.is_editable for row in skipped),
        "next": next_addresses(uploaded),
        "against_best": _against_best(results, alike),
        "most_compared": MOST,
    }


def _against_best(results: Sequence[PublishedResult], alike: Sequence[int]) -> str:
    """Of the results that are alike; "" where their workload has no other one that is ranked."""
    best = next((each.best for each in results if each.submission.pk in alike), None)
    return compare_address([best.pk, *alike]) if best else ""
