"""What was asked of the system; submissions of one workload may share a chart."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Exists, F, Func, OuterRef, Value

from submissions.models.aggregate import queue_workload_trigger
from submissions.models.compiled import CompiledQuery
from submissions.models.results.publication import is_public
from submissions.models.results.submission import Submission
from submissions.models.versions.data_version import changed_triggers

# Of the canonical form, what is of the system and not of the requests that the load tool sends it.
NOT_OF_LOAD = ("service", "consistency_level")


def load_fingerprint() -> Func:
    """The hash of a canonical form without NOT_OF_LOAD, made by PostgreSQL: no writer can leave it out."""
    return Func(
        F("canonical"),
        Value(list(NOT_OF_LOAD), output_field=ArrayField(models.TextField())),
        template="left(md5((%(expressions)s::text[])::text), 16)",
        arg_joiner=" - ",
        output_field=models.CharField(max_length=16),
    )


def title_words() -> Func:
    """The words of a workload's title, as `SearchEntry` has those of a submission."""
    return Func(F("title"), function="submissions_search_words", output_field=SearchVectorField())


class WorkloadQuerySet(models.QuerySet["Workload"]):
    def open(self) -> "WorkloadQuerySet":
        """Those that anybody may know of: all but the ones of which nothing is public."""
        rows = Submission.objects.filter(is_public(), hidden_at=None, workload=OuterRef("pk"))
        return self.filter(Exists(rows))

    def by_fingerprint(self, fingerprint: str) -> "Workload | None":
        """By the one it has, else, at the cost of a second query, by one that it had before."""
        workload = self.filter(fingerprint=fingerprint).first()
        return workload or self.filter(former_fingerprints__contains=[fingerprint]).first()


class Workload(models.Model):
    """A workload's canonical form, found by its fingerprint.

    `canonical` holds what ingest/document/fingerprint.py hashed, so that two workloads can be told apart
    in words.
    """

    fingerprint = models.CharField(max_length=16, unique=True)
    # of addresses made before the form changed
    former_fingerprints = ArrayField(models.CharField(max_length=16), default=list)
    canonical = models.JSONField()
    # equal where the same load was put on two databases, or at two consistency levels
    load_fingerprint = models.GeneratedField(
        expression=load_fingerprint(), output_field=models.CharField(max_length=16), db_persist=True, db_index=True
    )
    title = models.CharField(max_length=300)  # "Apache Cassandra: cassandra-stress write, LOCAL_ONE, RF 3"
    service = models.CharField(max_length=100, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WorkloadQuerySet.as_manager()

    texts_from_outside = ("canonical", "title")

    class Meta:
        ordering = ["title", "fingerprint"]
        triggers = [*changed_triggers(), queue_workload_trigger()]
        indexes = [
            GinIndex(fields=["former_fingerprints"], name="former_fingerprints"),
            GinIndex(title_words(), name="words_of_workloads"),
        ]

    def __str__(self) -> str:
        return self.title


def open_workload(fingerprint: str) -> Workload | None:
    """`Workload.objects.open().by_fingerprint(fingerprint)`, whose usual query is built once."""
    found = list(Workload.objects.raw(_OPEN.sql, _OPEN.params(fingerprint=fingerprint)))
    return found[0] if found else Workload.objects.open().filter(former_fingerprints__contains=[fingerprint]).first()


_OPEN = CompiledQuery(
    lambda fingerprint: Workload.objects.open().filter(fingerprint=fingerprint).order_by(), fingerprint="a fingerprint"
)
