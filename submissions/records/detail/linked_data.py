"""One result as schema.org/Dataset: its figures and its files, for search engines."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.urls import reverse

from submissions.licenses import license_of
from submissions.metrics import HOURLY_USD, LATENCY_P99, OPS_PER_USD, THROUGHPUT
from submissions.models import Artifact, Submission
from submissions.records.detail.sentences import finding

MOST_FILES = 20  # of a result; its page has them all


def linked_data(submission: Submission, artifacts: Sequence[Artifact]) -> dict[str, Any] | None:
    """None of what is not open to everyone, or was retracted. What is unknown is left out."""
    if not submission.is_open or submission.retracted_at is not None:
        return None
    address = f"{settings.SITE_URL}{submission.get_absolute_url()}"
    known = license_of(submission.license)
    described = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": submission.title or f"Result {submission.pk}",
        "description": f"Benchmark result {submission.pk}. {finding(submission)}",
        "url": address,
        "identifier": f"{address}#{submission.content_hash}",
        "license": known.url if known else submission.license,
        "creditText": submission.attribution,
        "temporalCoverage": submission.measured_at and submission.measured_at.date().isoformat(),
        "datePublished": submission.published_at and submission.published_at.date().isoformat(),
        "isAccessibleForFree": True,
        "creator": _creator(submission),
        "measurementTechnique": submission.tool,
        "isPartOf": f"{settings.SITE_URL}{reverse('submissions:data')}",
        "variableMeasured": _figures(submission),
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": "application/json",
                "contentUrl": f"{settings.SITE_URL}{reverse('api:submission-detail', args=[submission.pk])}",
            },
            *(_file(submission, artifact) for artifact in artifacts[:MOST_FILES] if artifact.removed_at is None),
        ],
    }
    return {name: value for name, value in described.items() if value}


def _file(submission: Submission, artifact: Artifact) -> dict[str, str]:
    path = reverse("submissions:artifact", args=[submission.pk, artifact.pk])
    return {
        "@type": "DataDownload",
        "name": artifact.name,
        "contentUrl": f"{settings.SITE_URL}{path}",
        "contentSize": f"{artifact.size_bytes} B",
        "encodingFormat": "application/octet-stream",
        "sha256": artifact.sha256,
    }


def _creator(submission: Submission) -> dict[str, str]:
    """Its account; without one the source that it was taken from."""
    if submission.submitted_by:
        return {"@type": "Person", "name": submission.submitted_by.get_username()}
    return {"@type": "Organization", "name": submission.source or "Benchsite"}


def _figures(submission: Submission) -> list[dict[str, Any]]:
    """Those that are known."""
    figures = {metric: getattr(submission, metric.key) for metric in (THROUGHPUT, LATENCY_P99, HOURLY_USD, OPS_PER_USD)}
    return [
        {"@type": "PropertyValue", "name": metric.label, "value": float(value), "unitText": metric.unit}
        for metric, value in figures.items()
        if value is not None
    ]
