"""The facts that an uploader adds to a log: fields at places of the submission document."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from submissions import facts
from submissions.api.number_fields import AmountField
from submissions.choices import PricingModel, Role
from submissions.formatting.names import tool_name
from submissions.ingest.batches import BY_TOOL
from submissions.ingest.document.types import MAX_OPS_S
from submissions.ingest.logs.databases import databases_of
from submissions.upload.document_form import DocumentForm, Place
from submissions.upload.fact_fields import (
    choice_field,
    number_field,
    place_in,
    place_in_group,
    text_field,
    whole_field,
    with_other_facts,
)

_CLUSTER = (
    "service",
    "service_version",
    "provider",
    "region",
    "zones",
    "measured_at",
    "jdk_vendor",
    "jdk_version",
)
_NETWORK = ("network_kind", "network_encryption", "client_placement")
_TEXT = ("title", "notes", "source_url")
_WORKLOAD = (
    "command",
    "tool_version",
    "consistency_level",
    "replication_factor",
    "columns",
    "value_bytes",
    "key_count",
    "key_distribution",
    "threads",
    "pipeline",
    "fixed_rate_ops_s",
    "throttle_ops_s",
)
_GROUP = ("role", "count", "instance_type", "pricing_model", "hourly_usd")
_HARDWARE = (
    *("disk_kind", "disk_count", "disk_size_gib", "disk_raid", "disk_iops"),
    *("architecture", "cpu_model", "vcpus"),
)

_LEGENDS = {
    Role.DATABASE: facts.NODE_COUNT.label,
    Role.CACHE: facts.CACHE_NODE_COUNT.label,
    Role.CLIENT: facts.CLIENT_COUNT.label,
}


@with_other_facts(lambda fact: fact.path[0] != "nodes", place_in)
class FactsForm(DocumentForm):
    """Everything of a submission but its node groups; facts of which no field is here have a plain one."""

    from_log: frozenset[str] = frozenset()  # fields that the log fills, which need not be shown

    title = text_field(facts.TITLE, 300)
    service = text_field(facts.SERVICE, 50, list="services", placeholder="e.g. cassandra")
    service_version = text_field(facts.SERVICE_VERSION, 50, placeholder="e.g. 5.0.9")
    provider = text_field(facts.PROVIDER, 50, list="providers", placeholder="e.g. aws")
    region = text_field(facts.REGION, 50, list="regions", placeholder="e.g. us-east-1")
    zones = text_field(facts.ZONES, 500, "Separate several by commas.", placeholder="e.g. us-east-1a, us-east-1b")
    measured_at = forms.DateTimeField(
        label=facts.MEASURED_AT.label_with_unit,
        required=False,
        help_text="Prices of this date are used. Empty: the date of the log, of the file, or today.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    jdk_vendor = text_field(facts.JDK_VENDOR, 50, list="jdk-vendors", placeholder="e.g. temurin")
    jdk_version = text_field(facts.JDK_VERSION, 50, placeholder="e.g. 17.0.12")
    network_kind = choice_field(facts.NETWORK_KIND)
    network_encryption = choice_field(facts.NETWORK_ENCRYPTION)
    client_placement = choice_field(facts.CLIENT_PLACEMENT)
    source_url = forms.CharField(
        label=facts.SOURCE_URL.label,
        required=False,
        max_length=2000,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    notes = forms.CharField(
        label=facts.NOTES.label, required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3})
    )
    command = text_field(facts.COMMAND, 4000)
    tool_version = text_field(facts.TOOL_VERSION, 50)
    consistency_level = choice_field(facts.CONSISTENCY_LEVEL)
    replication_factor = whole_field(facts.REPLICATION_FACTOR)
    columns = whole_field(facts.COLUMNS)
    value_bytes = whole_field(facts.VALUE_BYTES)
    key_count = whole_field(facts.KEY_COUNT)
    key_distribution = text_field(facts.KEY_DISTRIBUTION, 50, placeholder="e.g. uniform")
    threads = whole_field(facts.THREADS)
    pipeline = whole_field(facts.PIPELINE)
    fixed_rate_ops_s = number_field(facts.FIXED_RATE, MAX_OPS_S)
    throttle_ops_s = number_field(facts.THROTTLE, MAX_OPS_S)

    places = {name: place_in(name) for name in (*_CLUSTER, *_NETWORK, *_TEXT, *_WORKLOAD)}

    def __init__(self, *args: Any, tools: Sequence[str] = (), **how: Any) -> None:
        """With a database for each load tool where there are several."""
        super().__init__(*args, **how)
        self.tools = tuple(tools) if len(tools) > 1 else ()
        if not self.tools:
            return
        del self.fields["service"]
        self.places = {**self.places, **{f"service-{tool}": (BY_TOOL, tool) for tool in self.tools}}
        for tool in self.tools:
            databases = databases_of(tool) or ("cassandra",)
            hint = f"{databases[0]}, from the log" if len(databases) == 1 else f"e.g. {' or '.join(databases[:2])}"
            field = text_field(facts.SERVICE, 50, list="services", placeholder=hint)
            field.label = f"{facts.SERVICE.label} of {tool_name(tool)}"
            self.fields[f"service-{tool}"] = field

    def take(self, place: Place, detail: str) -> bool:
        """What is wrong with the database of all is wrong with that of each tool."""
        if self.tools and place in (("service",), ("service", "name")):
            for tool in self.tools:
                if not self[f"service-{tool}"].value() and len(databases_of(tool)) != 1:
                    self.add_error(f"service-{tool}", detail)
            return True
        return super().take(place, detail)

    def know(self, from_log: Mapping[str, Any]) -> None:
        """Tell the form which part of the document the logs give."""
        self.from_log = frozenset(self.initial_of(from_log))

    def clean_zones(self) -> list[str]:
        return [zone.strip() for zone in self.cleaned_data["zones"].split(",") if zone.strip()]

    @classmethod
    def initial_of(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        initial = super().initial_of(content)
        if "zones" in initial:
            initial["zones"] = ", ".join(initial["zones"])
        if "measured_at" in initial:
            initial["measured_at"] = forms.DateTimeField().to_python(initial["measured_at"])
        return initial

    @property
    def cluster_fields(self) -> list[forms.BoundField]:
        names = [f"service-{tool}" for tool in self.tools] or ["service"]
        return [self[name] for name in (*names, *_CLUSTER[1:], *self._others_of(None))]

    @property
    def network_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in (*_NETWORK, *self._others_of("network"))]

    @property
    def text_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _TEXT]

    @property
    def workload_fields(self) -> list[forms.BoundField]:
        """What the log leaves open, and what the uploader has stated or must correct."""
        return [
            self[name]
            for name in (*_WORKLOAD, *self._others_of("workload"))
            if name not in self.from_log or self[name].value() or name in self.errors
        ]

    def _others_of(self, section: str | None) -> list[str]:
        """Of a part of the document that has fields of its own; None: of all else."""
        parts = {name: str(self.places[name][0]) for name in self.others}
        return [name for name, part in parts.items() if (part if part in ("network", "workload") else None) == section]


@with_other_facts(lambda fact: fact.path[0] == "nodes", place_in_group)
class GroupForm(DocumentForm):
    """Equal machines of one role; a form in which nothing was filled in is no group."""

    role = forms.ChoiceField(label=facts.ROLE.label, choices=Role.pairs)
    count = whole_field(facts.GROUP_COUNT)
    instance_type = text_field(facts.INSTANCE_TYPE, 100, list="instance-types", placeholder="e.g. m5.xlarge")
    architecture = choice_field(facts.ARCHITECTURE)
    cpu_model = text_field(facts.CPU_MODEL, 200)
    vcpus = whole_field(facts.VCPUS)
    disk_kind = text_field(facts.DISK_KIND, 50, list="disk-kinds", placeholder="e.g. local-ssd")
    disk_count = whole_field(facts.DISK_COUNT)
    disk_size_gib = number_field(facts.DISK_SIZE)
    disk_raid = choice_field(facts.DISK_RAID)
    disk_iops = whole_field(facts.DISK_IOPS)
    pricing_model = forms.ChoiceField(label=facts.PRICING_MODEL.label, choices=PricingModel.pairs, required=False)
    hourly_usd = AmountField(
        unit="USD/h",
        label=facts.NODE_HOURLY_USD.label_with_unit,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": "list price"}),
    )

    places = {name: place_in_group(name) for name in (*_GROUP, *_HARDWARE)}

    @property
    def legend(self) -> str:
        role = self["role"].value()
        return _LEGENDS[Role(role)] if role in _LEGENDS else "Machines"

    @property
    def is_blank(self) -> bool:
        """The form was validated. The number of clients alone, filled from the log, is no group."""
        ignored = {"role", "pricing_model"}
        if self.cleaned_data.get("role") == Role.CLIENT:
            ignored.add("count")
        return not any(self.cleaned_data.get(name) not in (None, "") for name in self.places if name not in ignored)

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _GROUP]

    @property
    def hardware_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in (*_HARDWARE, *self.others)]

    @property
    def has_hardware(self) -> bool:
        """Whether the fields that are folded away must be seen."""
        return any(field.errors or field.value() for field in self.hardware_fields)
