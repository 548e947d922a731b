"""The dataset described for programs: schema.org for search engines, Croissant for machine learning, CFF for citing."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import yaml
from django.conf import settings
from django.db.models import F
from django.urls import reverse

from submissions.dataset.columns import Column, Kind
from submissions.dataset.licenses import LicenseCount, are_mixed, licenses_of, mixed_sentence
from submissions.dataset.schema import TABLES
from submissions.licenses import UPLOADS
from submissions.metrics import METRICS
from submissions.models import Dataset, Submission
from submissions.records.cache import cached

NAME = "Benchsite: what a database costs to run fast"
ABSTRACT = (
    "Benchmark results of databases with their trials and machines, the workloads, and the dated prices of clouds: "
    "throughput, latency and operations per dollar. Each result names its licence in the column `license`."
)
KEYWORDS = ("database", "benchmark", "cloud computing", "price-performance", "throughput", "latency")
TABLE_FORMATS = {".parquet": "application/vnd.apache.parquet", ".csv.gz": "application/gzip"}
_FORMATS = {**TABLE_FORMATS, ".json": "application/json", ".md": "text/markdown"}
_TYPES = {
    Kind.INTEGER: "sc:Integer",
    Kind.NUMBER: "sc:Float",
    Kind.USD: "sc:Float",
    Kind.BOOLEAN: "sc:Boolean",
    Kind.TIMESTAMP: "sc:DateTime",
    Kind.DATE: "sc:Date",
}
_CROISSANT = "http://mlcommons.org/croissant/"


def linked_data(dump: Dataset) -> dict[str, Any]:
    """schema.org/Dataset, with the whole files of the dump. Two queries, one while they are cached."""
    files = [file for file in dump.files if "/" not in file["name"]]
    first, last = cached(("measured between",), _measured_between)
    described: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        **_described(dump),
        "identifier": _absolute("submissions:data"),
        "isAccessibleForFree": True,
        "measurementTechnique": _absolute("submissions:methodology"),
        "variableMeasured": [
            {"@type": "PropertyValue", "name": metric.label, "unitText": metric.unit} for metric in METRICS.values()
        ],
        "distribution": [
            {"@type": "DataDownload", "name": file["name"], **_file(dump, file)}
            for file in files
            if file["name"].endswith(tuple(TABLE_FORMATS))
        ],
    }
    if first and last:
        described["temporalCoverage"] = f"{first}/{last}"
    return described


def croissant(dump: Dataset) -> dict[str, Any]:
    """Croissant 1.0: the Parquet file of each table with its columns."""
    files = {file["name"]: file for file in dump.files}
    tables = [table for table in TABLES if f"{table.name}.parquet" in files]
    return {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": f"{_CROISSANT}1.0",
        **_described(dump),
        "isLiveDataset": True,
        "citeAs": f"{NAME}, dump of {dump.made_at:%Y-%m-%d}. {_absolute('submissions:data')}",
        "distribution": [
            {"@type": "cr:FileObject", "@id": name, "name": name, **_file(dump, files[name])}
            for name in (f"{table.name}.parquet" for table in tables)
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table.name,
                "name": table.name,
                "description": table.meaning,
                "field": [_field(table.name, column) for column in table.columns],
            }
            for table in tables
        ],
    }


def citation_cff(dump: Dataset) -> str:
    """CITATION.cff 1.2.0 of the dataset as of this dump."""
    counts = licenses_of(dump)
    # several `license` would mean a choice between them: where they are mixed, the text says it by row
    terms = (
        {"license-url": _absolute("submissions:dataset_file", dump.stamp, "LICENSE")}
        if are_mixed(counts)
        else {"license": UPLOADS.spdx}
    )
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it, and the page of each result that you quote.",
        "type": "dataset",
        "title": NAME,
        "abstract": _abstract(counts),
        "authors": [{"name": "The contributors of Benchsite", "website": _absolute("submissions:home")}],
        "keywords": list(KEYWORDS),
        **terms,
        "version": dump.stamp,
        "date-released": dump.made_at.date().isoformat(),
        "url": _absolute("submissions:data"),
    }
    return str(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=100))


def _abstract(counts: Sequence[LicenseCount]) -> str:
    return " ".join(filter(None, (ABSTRACT, mixed_sentence(counts))))


def _license_addresses(dump: Dataset, counts: Sequence[LicenseCount]) -> str | list[str]:
    """Of each licence its text; the dump's own words about what has no licence that is known."""
    if not are_mixed(counts):
        return UPLOADS.url
    own_words = _absolute("submissions:dataset_file", dump.stamp, "LICENSE")
    return list(dict.fromkeys(count.known.url if count.known else own_words for count in counts))


def _described(dump: Dataset) -> dict[str, Any]:
    counts = licenses_of(dump)
    credits = list(dict.fromkeys(count.attribution for count in counts if count.attribution))
    return {
        "name": NAME,
        "description": _abstract(counts),
        "url": _absolute("submissions:data"),
        "license": _license_addresses(dump, counts),
        **({"creditText": "; ".join(credits)} if credits else {}),
        "creator": {"@type": "Organization", "name": "Benchsite", "url": _absolute("submissions:home")},
        "keywords": list(KEYWORDS),
        "version": f"{dump.made_at:%Y.%-m.%-d}",
        "datePublished": dump.made_at.date().isoformat(),
    }


def _file(dump: Dataset, file: Mapping[str, Any]) -> dict[str, Any]:
    name = file["name"]
    return {
        "contentUrl": _absolute("submissions:dataset_file", dump.stamp, name),
        "encodingFormat": next(kind for ending, kind in _FORMATS.items() if name.endswith(ending)),
        "contentSize": f"{file['size_bytes']} B",
        "sha256": file["sha256"],
    }


def _field(table: str, column: Column) -> dict[str, Any]:
    unit = f" ({column.unit})" if column.unit else ""
    return {
        "@type": "cr:Field",
        "@id": f"{table}/{column.name}",
        "name": column.name,
        "description": f"{column.meaning}{unit}",
        "dataType": _TYPES.get(column.kind, "sc:Text"),
        **({"repeated": True} if column.kind == Kind.TEXTS else {}),
        "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": column.name}},
    }


def _absolute(name: str, *args: str) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=args)}"


def _measured_between() -> Sequence[date | None]:
    """The first and the last day of a dated measurement. Two queries, by an index."""
    dated = Submission.objects.published().filter(measured_at__isnull=False).values_list("measured_at", flat=True)
    ends = (F("measured_at").asc(nulls_first=True), F("measured_at").desc(nulls_last=True))
    moments = [dated.order_by(end)[:1] for end in ends]
    return [row[0].date() if (row := list(rows)) and row[0] else None for rows in moments]


def _context() -> dict[str, Any]:
    """As the specification of Croissant 1.0 gives it."""
    own = (
        *("citeAs", "column", "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes"),
        *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
        *("repeated", "replace", "separator", "source", "subField", "transform"),
    )
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "sc": "https://schema.org/",
        "cr": _CROISSANT,
        "rai": f"{_CROISSANT}RAI/",
        "dct": "http://purl.org/dc/terms/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
        **{name: f"cr:{name}" for name in own},
    }
