"""The facts that an uploader adds to a log: fields at places of the submission document."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from submissions import facts
from submissions.api.number_fields import AmountField, NumberField, WholeNumberField
from submissions.choices import PricingModel, Role
from submissions.facts import Fact
from submissions.formatting.names import tool_name
from submissions.ingest.batches import BY_TOOL
from submissions.ingest.document.types import MAX_OPS_S
from submissions.ingest.logs.databases import databases_of
from submissions.upload.document_form import DocumentForm, Place


def _choice(fact: Fact) -> forms.ChoiceField:
    assert fact.choices is not None  # noqa: S101 (a fact of a closed list)
    return forms.ChoiceField(label=fact.label, required=False, choices=[("", "not stated"), *fact.choices.pairs()])


def _text(fact: Fact, max_length: int, help_text: str = "", **attrs: str) -> forms.CharField:
    widget = forms.TextInput(attrs=attrs)
    return forms.CharField(label=fact.label, required=False, max_length=max_length, widget=widget, help_text=help_text)


def _whole(fact: Fact) -> WholeNumberField:
    return WholeNumberField(unit=fact.unit, label=fact.label_with_unit, required=False, min_value=0, max_value=10**15)


def _number(fact: Fact, max_value: float | None = None) -> NumberField:
    return NumberField(unit=fact.unit, label=fact.label_with_unit, required=False, min_value=0, max_value=max_value)


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


def _places(*names: str) -> dict[str, Place]:
    return {name: facts.FACTS[name].path for name in names}


def _place_in_group(name: str) -> Place:
    """A group's form has the place of one group, and in it that of the first disk."""
    match facts.FACTS[name].path:
        case ("nodes", "disks", field):
            return ("disks", 0, field)
        case (_, field):
            return (field,)
    raise ValueError(name)


class FactsForm(DocumentForm):
    """Everything of a submission but its node groups."""

    from_log: frozenset[str] = frozenset()  # fields that the log fills, which need not be shown

    title = _text(facts.TITLE, 300)
    service = _text(facts.SERVICE, 50, list="services", placeholder="e.g. cassandra")
    service_version = _text(facts.SERVICE_VERSION, 50, placeholder="e.g. 5.0.9")
    provider = _text(facts.PROVIDER, 50, list="providers", placeholder="e.g. aws")
    region = _text(facts.REGION, 50, list="regions", placeholder="e.g. us-east-1")
    zones = _text(facts.ZONES, 500, "Separate several by commas.", placeholder="e.g. us-east-1a, us-east-1b")
    measured_at = forms.DateTimeField(
        label=facts.MEASURED_AT.label_with_unit,
        required=False,
        help_text="Prices of this date are used. Empty: the date of the log, of the file, or today.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    jdk_vendor = _text(facts.JDK_VENDOR, 50, list="jdk-vendors", placeholder="e.g. temurin")
    jdk_version = _text(facts.JDK_VERSION, 50, placeholder="e.g. 17.0.12")
    network_kind = _choice(facts.NETWORK_KIND)
    network_encryption = _choice(facts.NETWORK_ENCRYPTION)
    client_placement = _choice(facts.CLIENT_PLACEMENT)
    source_url = forms.CharField(
        label=facts.SOURCE_URL.label,
        required=False,
        max_length=2000,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    notes = forms.CharField(
        label=facts.NOTES.label, required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3})
    )
    command = _text(facts.COMMAND, 4000)
    tool_version = _text(facts.TOOL_VERSION, 50)
    consistency_level = _choice(facts.CONSISTENCY_LEVEL)
    replication_factor = _whole(facts.REPLICATION_FACTOR)
    columns = _whole(facts.COLUMNS)
    value_bytes = _whole(facts.VALUE_BYTES)
    key_count = _whole(facts.KEY_COUNT)
    key_distribution = _text(facts.KEY_DISTRIBUTION, 50, placeholder="e.g. uniform")
    threads = _whole(facts.THREADS)
    pipeline = _whole(facts.PIPELINE)
    fixed_rate_ops_s = _number(facts.FIXED_RATE, MAX_OPS_S)
    throttle_ops_s = _number(facts.THROTTLE, MAX_OPS_S)

    places = _places(*_CLUSTER, *_NETWORK, *_TEXT, *_WORKLOAD)

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
            field = _text(facts.SERVICE, 50, list="services", placeholder=hint)
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
        return [self[name] for name in (*names, *_CLUSTER[1:])]

    @property
    def network_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _NETWORK]

    @property
    def text_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _TEXT]

    @property
    def workload_fields(self) -> list[forms.BoundField]:
        """What the log leaves open, and what the uploader has stated or must correct."""
        return [
            self[name] for name in _WORKLOAD if name not in self.from_log or self[name].value() or name in self.errors
        ]


class GroupForm(DocumentForm):
    """Equal machines of one role; a form in which nothing was filled in is no group."""

    role = forms.ChoiceField(label=facts.ROLE.label, choices=Role.pairs)
    count = _whole(facts.GROUP_COUNT)
    instance_type = _text(facts.INSTANCE_TYPE, 100, list="instance-types", placeholder="e.g. m5.xlarge")
    architecture = _choice(facts.ARCHITECTURE)
    cpu_model = _text(facts.CPU_MODEL, 200)
    vcpus = _whole(facts.VCPUS)
    disk_kind = _text(facts.DISK_KIND, 50, list="disk-kinds", placeholder="e.g. local-ssd")
    disk_count = _whole(facts.DISK_COUNT)
    disk_size_gib = _number(facts.DISK_SIZE)
    disk_raid = _choice(facts.DISK_RAID)
    disk_iops = _whole(facts.DISK_IOPS)
    pricing_model = forms.ChoiceField(label=facts.PRICING_MODEL.label, choices=PricingModel.pairs, required=False)
    hourly_usd = AmountField(
        unit="USD/h",
        label=facts.NODE_HOURLY_USD.label_with_unit,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": "list price"}),
    )

    places = {name: _place_in_group(name) for name in (*_GROUP, *_HARDWARE)}

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
        return [self[name] for name in _HARDWARE]

    @property
    def has_hardware(self) -> bool:
        """Whether the fields that are folded away must be seen."""
        return any(field.errors or field.value() for field in self.hardware_fields)
