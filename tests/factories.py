"""Rows for tests: valid by every constraint, whole figures derived from the few that a test sets."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import factory
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from factory.django import DjangoModelFactory

from submissions.choices import ArtifactKind, Flag, LatencyKind, PricingModel, Role, Trust
from submissions.models import (
    ApiToken,
    Artifact,
    NodeGroup,
    Price,
    Submission,
    Trial,
    Workload,
)

SECONDS_PER_HOUR = 3600


class FoundOrMade(DjangoModelFactory):
    """The row that `django_get_or_create` names, without Django's savepoint: nobody else writes where a test does."""

    class Meta:
        abstract = True

    @classmethod
    def _get_or_create(cls, model_class: Any, *_: Any, **fields: Any) -> Any:
        names = {name: fields[name] for name in cls._meta.django_get_or_create}
        return model_class.objects.filter(**names).first() or model_class.objects.create(**fields)


class UserFactory(FoundOrMade):
    """An account that signs in with the password `factory-password`, or with the one that is given."""

    class Meta:
        model = get_user_model()
        django_get_or_create = ("username",)
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"user{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = "factory-password"

    @classmethod
    def _adjust_kwargs(cls, **fields: Any) -> dict[str, Any]:
        return {**fields, "password": _hash_of(fields["password"], settings.PASSWORD_HASHERS[0])}


@cache
def _hash_of(password: str, _hasher: str) -> str:
    return make_password(password)


def verify(user: Any) -> Any:
    """The same account, whose owner has confirmed its address."""
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


class VerifiedUserFactory(UserFactory):
    """An account that counts for a reproduction: old, with a verified address of an organisation of its own.

    As staff, so that its first submissions wait for no moderator.
    """

    email = factory.LazyAttribute(lambda user: f"{user.username}@{user.username}.example")
    date_joined = datetime(2015, 1, 1, tzinfo=UTC)
    is_staff = True

    @factory.post_generation
    def verified(self, create: bool, extracted: None, **_: Any) -> None:
        EmailAddress.objects.create(user=self, email=self.email, verified=True, primary=True)


def make_token(user: Any = None, scopes: Sequence[str] = ("submit",), name: str = "test") -> str:
    """A new API token's text, as it stands after `Bearer `."""
    _, text = ApiToken.objects.create(user=user or UserFactory(), scopes=list(scopes), name=name, expiry=None)
    return text


def bearer(user: Any = None, scopes: Sequence[str] = ("submit",)) -> dict[str, str]:
    """Keyword arguments of the Django test client: `client.post(url, ..., **bearer(user))`."""
    return {"HTTP_AUTHORIZATION": f"Bearer {make_token(user, scopes)}"}


class WorkloadFactory(FoundOrMade):
    class Meta:
        model = Workload
        django_get_or_create = ("fingerprint",)

    fingerprint = factory.LazyAttribute(lambda workload: hashlib.sha256(workload.title.encode()).hexdigest()[:16])
    service = "cassandra"
    title = "cassandra-stress write, LOCAL_ONE, RF 3, 200 threads"
    canonical = factory.LazyAttribute(lambda workload: {"service": workload.service, "title": workload.title})


class SubmissionFactory(DjangoModelFactory):
    """A priced submission with its trials (`trials_count` of them) and its node groups.

    `submitted_by`, `flags`, `trust` and every facet can be given. A price of None
    (`hourly_usd=None`) leaves the figures derived from it None too.
    """

    class Meta:
        model = Submission
        skip_postgeneration_save = True

    content_hash = factory.Sequence(lambda n: hashlib.sha256(f"submission {n}".encode()).hexdigest())
    title = factory.LazyAttribute(
        lambda row: f"{row.service} {row.service_version}, {row.node_count} x {row.instance_type}"
    )
    source_url = ""
    submitted_by = factory.SubFactory(UserFactory)
    trust = Trust.LOG_VERIFIED
    flags = factory.LazyFunction(list)
    measured_at = datetime(2015, 9, 1, 12, 0, tzinfo=UTC)

    service = "cassandra"
    service_version = "2.1.8"
    provider = "aws"
    region = "us-east-1"
    zones = factory.LazyAttribute(lambda row: [f"{row.region}a"] if row.region else [])
    instance_type = "m3.2xlarge"
    cpu_model = None
    vcpus = 8
    memory_gib = 30.0
    disk_kind = "local-ssd"
    node_count = 3
    client_count = 1
    jdk_vendor = "oracle"
    jdk_version = "8u51"
    network_kind = "native"
    network_encryption = "none"

    workload = factory.SubFactory(WorkloadFactory, service=factory.SelfAttribute("..service"))
    tool = "cassandra-stress"
    tool_version = "2.1.8"
    operation = "write"
    consistency_level = "LOCAL_ONE"
    replication_factor = 3
    load_mode = "threads"
    threads = 200

    trials_count = 1
    throughput_ops_s = 90_000.0
    operations = 2_000_000
    errors = 0
    latency_kind = LatencyKind.SERVICE_TIME
    latency_mean_ms = 2.0
    latency_p50_ms = 1.5
    latency_p95_ms = 3.0
    latency_p99_ms = 4.0
    latency_p99_at_most_ms = factory.SelfAttribute("latency_p99_ms")
    latency_p999_ms = 20.0
    latency_max_ms = 80.0

    pricing_model = PricingModel.ON_DEMAND
    hourly_usd = Decimal("1.596")  # 3 x 0.532
    price_date = factory.LazyAttribute(lambda row: row.hourly_usd and date(2015, 6, 1))
    price_last_seen = factory.LazyAttribute(lambda row: row.price_date)
    ops_per_usd = factory.LazyAttribute(lambda row: _ops_per_usd(row))
    usd_per_million_ops = factory.LazyAttribute(
        lambda row: row.ops_per_usd and (1_000_000 / row.ops_per_usd).quantize(Decimal("1e-10"))
    )
    price_missing = factory.LazyAttribute(
        lambda row: "" if row.hourly_usd else f"no price of {row.instance_type} is known"
    )
    document = factory.LazyAttribute(lambda row: document_of(row))

    @factory.post_generation
    def trials(self, create: bool, extracted: None, **fields: Any) -> None:
        if create:
            trials = (TrialFactory.build(submission=self, index=n, **fields) for n in range(self.trials_count))
            Trial.objects.bulk_create(trials)

    @factory.post_generation
    def node_groups(self, create: bool, extracted: None, **fields: Any) -> None:
        if not create:
            return
        groups = [NodeGroupFactory.build(submission=self, **fields)]
        if self.client_count:
            client = {"instance_type": "c3.4xlarge", "disks": [], "vcpus": 16, "node_hourly_usd": Decimal("0.84")}
            groups.append(
                NodeGroupFactory.build(submission=self, position=1, role=Role.CLIENT, count=self.client_count, **client)
            )
        NodeGroup.objects.bulk_create(groups)


def _ops_per_usd(row: Any) -> Decimal | None:
    if row.hourly_usd is None or row.throughput_ops_s is None or Flag.THROTTLED in row.flags:
        return None
    exact = Decimal(str(row.throughput_ops_s)) * SECONDS_PER_HOUR / Decimal(row.hourly_usd)
    return exact.quantize(Decimal("0.0001"))


class TrialFactory(DjangoModelFactory):
    """One trial with its submission's own figures."""

    class Meta:
        model = Trial

    submission = factory.SubFactory(SubmissionFactory, trials_count=0)
    index = 0
    throughput_ops_s = factory.SelfAttribute("submission.throughput_ops_s")
    relative_throughput = factory.SelfAttribute("submission.relative_throughput")
    operations = factory.SelfAttribute("submission.operations")
    errors = factory.SelfAttribute("submission.errors")
    duration_s = 22.0
    threads = factory.SelfAttribute("submission.threads")
    client_count = factory.SelfAttribute("submission.client_count")
    latency_kind = factory.SelfAttribute("submission.latency_kind")
    latency_mean_ms = factory.SelfAttribute("submission.latency_mean_ms")
    latency_p50_ms = factory.SelfAttribute("submission.latency_p50_ms")
    latency_p95_ms = factory.SelfAttribute("submission.latency_p95_ms")
    latency_p99_ms = factory.SelfAttribute("submission.latency_p99_ms")
    latency_p999_ms = factory.SelfAttribute("submission.latency_p999_ms")
    latency_max_ms = factory.SelfAttribute("submission.latency_max_ms")
    latencies = factory.LazyAttribute(lambda trial: _latencies(trial))


def _latencies(trial: Any) -> dict[str, dict[str, float]]:
    known = {
        name: value
        for name in ("mean", "p50", "p95", "p99", "p999", "max")
        if (value := getattr(trial, f"latency_{name}_ms")) is not None
    }
    return {str(trial.latency_kind): known} if known else {}


class NodeGroupFactory(DjangoModelFactory):
    """The database group of its submission, at an on-demand price."""

    class Meta:
        model = NodeGroup

    submission = factory.SubFactory(SubmissionFactory)
    position = 0
    role = Role.DATABASE
    count = factory.SelfAttribute("submission.node_count")
    instance_type = factory.SelfAttribute("submission.instance_type")
    cpu_model = None
    vcpus = 8
    memory_gib = 30.0
    disks = factory.LazyFunction(lambda: [{"kind": "local-ssd", "count": 2, "size_gib": 80, "raid": "raid0"}])
    pricing_model = PricingModel.ON_DEMAND
    node_hourly_usd = factory.LazyAttribute(
        lambda group: (
            group.submission.hourly_usd
            and (Decimal(group.submission.hourly_usd) / group.count).quantize(Decimal("1e-8"))
        )
    )
    storage_hourly_usd = factory.LazyAttribute(lambda group: group.node_hourly_usd and Decimal(0))
    price_source = factory.LazyAttribute(lambda group: group.node_hourly_usd and "AWS price list of 2015-06-01")
    price_date = factory.LazyAttribute(lambda group: group.node_hourly_usd and date(2015, 6, 1))
    price_last_seen = factory.LazyAttribute(lambda group: group.price_date)


class PriceFactory(FoundOrMade):
    class Meta:
        model = Price
        django_get_or_create = ("provider", "region", "sku", "unit", "pricing_model", "valid_from")

    provider = "aws"
    region = "us-east-1"
    sku = "m3.2xlarge"
    unit = Price.Unit.HOUR
    pricing_model = PricingModel.ON_DEMAND
    usd = Decimal("0.532")
    valid_from = date(2015, 6, 1)
    source = "AWS price list of 2015-06-01"


class ArtifactFactory(DjangoModelFactory):
    """A raw file whose bytes (`content=b"..."`) stand in the storage."""

    class Meta:
        model = Artifact
        exclude = ("content",)

    content = b""
    submission = factory.SubFactory(SubmissionFactory)
    kind = ArtifactKind.LOAD_LOG
    name = "stress.log"
    sha256 = factory.LazyAttribute(lambda artifact: hashlib.sha256(artifact.content).hexdigest())
    size_bytes = factory.LazyAttribute(lambda artifact: len(artifact.content))

    @classmethod
    def create(cls, *, content: bytes = b"op rate : 90748\n", **kwargs: Any) -> Artifact:
        artifact = super().create(content=content, **kwargs)
        if not default_storage.exists(artifact.storage_name):
            default_storage.save(artifact.storage_name, ContentFile(content))
        return artifact


def document_of(row: Any) -> dict[str, Any]:
    """The submission document that such a row came from; valid for POST /api/v1/submissions/."""
    trial = {
        "throughput_ops_s": row.throughput_ops_s,
        "operations": row.operations,
        "errors": row.errors,
        "duration_s": 22.0,
        "latency_kind": str(row.latency_kind),
        "latency_ms": {
            name: getattr(row, f"latency_{name}_ms") for name in ("mean", "p50", "p95", "p99", "p999", "max")
        },
    }
    nodes = [
        {
            "role": "database",
            "count": row.node_count,
            "instance_type": row.instance_type,
            "vcpus": row.vcpus,
            "memory_gib": row.memory_gib,
            "disks": [{"kind": row.disk_kind, "count": 2, "size_gib": 80}] if row.disk_kind else [],
        }
    ]
    return {
        "service": {"name": row.service, "version": row.service_version},
        "measured_at": row.measured_at and row.measured_at.isoformat().replace("+00:00", "Z"),
        "title": row.title,
        "provider": row.provider,
        "region": row.region,
        "zones": list(row.zones),
        "nodes": nodes,
        "jdk": {"vendor": row.jdk_vendor, "version": row.jdk_version},
        "workload": {
            "tool": row.tool,
            "tool_version": row.tool_version,
            "operations": {row.operation: 1.0},
            "consistency_level": row.consistency_level,
            "replication_factor": row.replication_factor,
            "threads": row.threads,
        },
        "trials": [trial] * row.trials_count,
    }
