"""The page of one submission, and the download of its raw files."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from submissions import charts
from submissions.citation import bibtex
from submissions.dossier import dossier, load
from submissions.ingest.storage import open_kept
from submissions.metrics import LATENCIES
from submissions.models import Artifact
from submissions.repricing import RepriceForm, repriced


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    submission = load(pk)
    found = dossier(submission)
    form = RepriceForm(request.GET or None)
    address = request.build_absolute_uri(submission.get_absolute_url())
    context = {
        "dossier": found,
        "submission": submission,
        "latency_metrics": LATENCIES,
        "figure": charts.intervals_figure(found.intervals.series) if found.intervals else None,
        "address": address,
        "bibtex": bibtex(submission, address),
        "reprice_form": form,
        "repriced": repriced(submission, form.asked) if form.is_valid() and form.asked else None,
    }
    is_bad = form.is_bound and not form.is_valid()
    return render(request, "submissions/detail.html", context, status=400 if is_bad else 200)


@require_safe
def download_artifact(request: HttpRequest, pk: int, artifact: int) -> HttpResponse | FileResponse:
    """A raw file, byte for byte; never shown by the browser, whatever it holds."""
    row = get_object_or_404(Artifact, pk=artifact, submission=pk)
    try:
        stored = open_kept(row.sha256)
    except FileNotFoundError as error:
        raise Http404("The bytes of this file are not in the storage.") from error
    return FileResponse(
        stored,
        as_attachment=True,
        filename=row.name,
        content_type="application/octet-stream",
        headers={
            "Content-Length": str(row.size_bytes),
            "Content-Security-Policy": "default-src 'none'; sandbox",
            "X-Content-Type-Options": "nosniff",
            "ETag": f'"{row.sha256}"',
        },
    )
