"""Signed statements (in-toto Statement v1 in a DSSE envelope): of a bundle, and of whatever else the site signs."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from rest_framework.utils.encoders import JSONEncoder

from submissions.bundles.contents import Contents, address_of, made_by
from submissions.bundles.file import BundleFile, of_bytes
from submissions.bundles.keys import signer

PATH = "statement.intoto.jsonl"
STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD = "application/vnd.in-toto+json"
BUNDLE = "urn:benchsite:bundle:v1"
FIGURES = (
    "throughput_ops_s",
    "relative_throughput",
    "operations",
    "errors",
    "latency_kind",
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p95_ms",
    "latency_p99_ms",
    "latency_p999_ms",
    "latency_max_ms",
)


def statement_of(contents: Contents) -> BundleFile:
    """The envelope, as the last file of the bundle; one or two queries."""
    predicate = {
        "site": settings.SITE_URL,
        "submission": _submission(contents),
        "made_by": made_by(),
        "results": _results(contents),
        "removed_files": [
            {"name": file.name, "sha256": file.sha256, "removed_at": file.removed_at} for file in contents.removed
        ],
    }
    return of_bytes(PATH, json.dumps(signed(BUNDLE, contents.files, predicate)).encode() + b"\n")


def signed(predicate_type: str, subjects: Iterable[BundleFile], predicate: Mapping[str, Any]) -> dict[str, Any]:
    """A DSSE envelope around the statement about these files, as JSON; the same one each time."""
    from securesystemslib.dsse import Envelope  # loads boto3

    statement = {
        "_type": STATEMENT,
        "subject": [
            {
                "name": file.path,
                "digest": {"sha256": file.sha256},
                "annotations": {"size_bytes": file.size_bytes, **file.facts},
            }
            for file in subjects
        ],
        "predicateType": predicate_type,
        "predicate": predicate,
    }
    payload = json.dumps(statement, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
    envelope = Envelope(payload.encode(), PAYLOAD, {})
    envelope.sign(signer())
    content: dict[str, Any] = envelope.to_dict()
    return content


def _submission(contents: Contents) -> dict[str, Any]:
    row = contents.submission
    return {
        "id": row.pk,
        "address": address_of(row),
        "title": row.title,
        "content_hash": row.content_hash,
        "created_at": row.created_at,
        "measured_at": row.measured_at,
        "retracted_at": row.retracted_at,
        "license": row.license,
        "attribution": row.attribution,
        "pack": row.pack,
        "trust": row.trust,
        "flags": row.flags,
        "tool": row.tool,
        "tool_version": row.tool_version,
    }


def _results(contents: Contents) -> dict[str, Any]:
    of_all = {name: value for name, value in contents.row.items() if name in FIGURES}
    money = {name: contents.row[name] for name in ("hourly_usd", "ops_per_usd", "usd_per_million_ops", "bill_usd")}
    trials = [{"index": trial["index"], **{name: trial[name] for name in FIGURES}} for trial in contents.trials]
    return {**of_all, **money, "trials": trials}
