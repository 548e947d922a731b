"""The facts that an uploader adds to a log: form fields to a document's metadata, and its faults back."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.forms import BaseFormSet, formset_factory

from benchsite.refusals import Fault
from submissions.choices import (
    Choice,
    ConsistencyLevel,
    NetworkEncryption,
    NetworkKind,
    PricingModel,
    Raid,
    Role,
)
from submissions.ingest.document.submission import MAX_GROUPS
from submissions.ingest.document.types import MAX_OPS_S
from submissions.upload.document_form import DocumentForm, place_of


def _optional(label: str, closed_list: type[Choice]) -> forms.ChoiceField:
    choices = [("", "not stated"), *closed_list.pairs()]
    return forms.ChoiceField(label=label, required=False, choices=choices)


def _text(label: str, max_length: int, **attrs: str) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=max_length, widget=forms.TextInput(attrs=attrs))


def _whole(label: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=0, max_value=10**15)


class FactsForm(DocumentForm):
    """Everything of a submission but its node groups."""

    from_log: frozenset[str] = frozenset()  # fields that the log fills, so that nobody is asked

    title = _text("Title", 300)
    service = _text("Database", 50, list="services", placeholder="e.g. cassandra")
    service_version = _text("Database version", 50, placeholder="e.g. 5.0.9")
    provider = _text("Provider", 50, list="providers", placeholder="e.g. aws")
    region = _text("Region", 50, list="regions", placeholder="e.g. us-east-1")
    zones = _text("Zones, separated by commas", 500, placeholder="e.g. us-east-1a, us-east-1b")
    measured_at = forms.DateTimeField(
        label="Measured at, UTC",
        required=False,
        help_text="The price of this day is used.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    jdk_vendor = _text("JDK vendor", 50, list="jdk-vendors", placeholder="e.g. temurin")
    jdk_version = _text("JDK version", 50, placeholder="e.g. 17.0.12")
    network_kind = _optional("Network", NetworkKind)
    network_encryption = _optional("Network encryption", NetworkEncryption)
    source_url = forms.CharField(
        label="Source address",
        required=False,
        max_length=2000,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    notes = forms.CharField(label="Notes", required=False, max_length=20_000, widget=forms.Textarea(attrs={"rows": 3}))
    command = _text("Command line", 4000)
    tool_version = _text("Load tool version", 50)
    consistency_level = _optional("Consistency level", ConsistencyLevel)
    replication_factor = _whole("Replication factor")
    columns = _whole("Columns")
    value_bytes = _whole("Bytes of one column")
    key_count = _whole("Keys")
    key_distribution = _text("Key distribution", 50, placeholder="e.g. uniform")
    threads = _whole("Threads of one client")
    fixed_rate_ops_s = forms.FloatField(label="Fixed rate, ops/s", required=False, min_value=0, max_value=MAX_OPS_S)

    places = {
        "title": ("title",),
        "service": ("service", "name"),
        "service_version": ("service", "version"),
        "provider": ("provider",),
        "region": ("region",),
        "zones": ("zones",),
        "measured_at": ("measured_at",),
        "jdk_vendor": ("jdk", "vendor"),
        "jdk_version": ("jdk", "version"),
        "network_kind": ("network", "kind"),
        "network_encryption": ("network", "encryption"),
        "source_url": ("source_url",),
        "notes": ("notes",),
        **{
            name: ("workload", name)
            for name in (
                "command",
                "tool_version",
                "consistency_level",
                "replication_factor",
                "columns",
                "value_bytes",
                "key_count",
                "key_distribution",
                "threads",
                "fixed_rate_ops_s",
            )
        },
    }

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
        names = ("service", "service_version", "provider", "region", "zones", "measured_at")
        return [self[name] for name in (*names, "jdk_vendor", "jdk_version")]

    @property
    def network_fields(self) -> list[forms.BoundField]:
        return [self["network_kind"], self["network_encryption"]]

    @property
    def text_fields(self) -> list[forms.BoundField]:
        return [self["title"], self["notes"], self["source_url"]]

    @property
    def workload_fields(self) -> list[forms.BoundField]:
        """What the log leaves open, and what the uploader has said or must correct."""
        names = [name for name, place in self.places.items() if place[0] == "workload"]
        return [self[name] for name in names if name not in self.from_log or self[name].value() or name in self.errors]


class GroupForm(DocumentForm):
    """Equal machines of one role; a form that nothing was filled in is no group."""

    role = forms.ChoiceField(label="Role", choices=Role.pairs)
    count = _whole("Nodes")
    instance_type = _text("Instance type", 100, list="instance-types", placeholder="e.g. m5.xlarge")
    cpu_model = _text("CPU model", 200)
    disk_kind = _text("Disk kind", 50, list="disk-kinds", placeholder="e.g. local-ssd")
    disk_count = _whole("Disks of a node")
    disk_size_gib = forms.FloatField(label="GiB of a disk", required=False, min_value=0)
    disk_raid = _optional("RAID", Raid)
    disk_iops = _whole("Provisioned IOPS of a disk")
    pricing_model = forms.ChoiceField(label="Pricing model", choices=PricingModel.pairs, required=False)
    hourly_usd = forms.DecimalField(
        label="Stated USD per node and hour",
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "placeholder": "price book"}),
    )

    places = {
        "role": ("role",),
        "count": ("count",),
        "instance_type": ("instance_type",),
        "cpu_model": ("cpu_model",),
        "disk_kind": ("disks", 0, "kind"),
        "disk_count": ("disks", 0, "count"),
        "disk_size_gib": ("disks", 0, "size_gib"),
        "disk_raid": ("disks", 0, "raid"),
        "disk_iops": ("disks", 0, "iops"),
        "pricing_model": ("pricing_model",),
        "hourly_usd": ("hourly_usd",),
    }

    @property
    def is_blank(self) -> bool:
        """The form was validated. The number of clients alone, filled from the log, is no group."""
        ignored = {"role", "pricing_model"}
        if self.cleaned_data.get("role") == Role.CLIENT:
            ignored.add("count")
        return not any(self.cleaned_data.get(name) not in (None, "") for name in self.places if name not in ignored)

    @property
    def main_fields(self) -> list[forms.BoundField]:
        names = ("role", "count", "instance_type", "pricing_model", "hourly_usd")
        return [self[name] for name in names]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        names = ("disk_kind", "disk_count", "disk_size_gib", "disk_raid", "disk_iops", "cpu_model")
        return [self[name] for name in names]

    @property
    def has_more(self) -> bool:
        """Whether what stands behind the switch must be seen."""
        return any(field.errors or field.value() for field in self.more_fields)


GroupFormSet = formset_factory(GroupForm, extra=0, max_num=MAX_GROUPS, absolute_max=MAX_GROUPS + 1, validate_max=True)


def first_content(from_log: Mapping[str, Any], *, clients: int) -> dict[str, Any]:
    """What an untouched form begins with: what the log says of the system, and its clients.

    Neither the workload nor the number of nodes is repeated: what the log tells of them fills the
    gap that is left, and is shown as the log's.
    """
    content = {name: value for name, value in from_log.items() if name not in ("workload", "nodes")}
    database = {"role": Role.DATABASE.value}
    return {**content, "nodes": [database, {"role": Role.CLIENT.value, "count": clients}]}


def hint_node_count(groups: BaseFormSet, from_log: Mapping[str, Any]) -> None:
    """Tell in the empty field of the database nodes how many of them the log knows."""
    counts = [group.get("count") for group in from_log.get("nodes", ())]
    if groups.forms and counts and counts[0]:
        field = groups.forms[0].fields["count"]
        field.widget.attrs["placeholder"] = f"{counts[0]}, from the log"


def groups_initial(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A form for each group of the content, one for a database where it has none."""
    groups = content.get("nodes") or [{"role": Role.DATABASE.value}]
    return [GroupForm.initial_of(group) for group in groups]


def metadata_of(facts: FactsForm, groups: BaseFormSet) -> dict[str, Any]:
    """The metadata of an import; both forms were validated."""
    used = [form.content() for form in groups if not form.is_blank]
    return {**facts.content(), "nodes": used} if used else facts.content()


def place_faults(faults: Sequence[Fault], facts: FactsForm, groups: BaseFormSet) -> list[Fault]:
    """Show each fault at its field; what no field is about is returned."""
    used = [form for form in groups if not form.is_blank]
    return [fault for fault in faults if not _take(fault, facts, used or list(groups)[:1])]


def _take(fault: Fault, facts: FactsForm, groups: Sequence[GroupForm]) -> bool:
    match place_of(fault.pointer):
        case ("nodes", int(index), *rest) if index < len(groups):
            return groups[index].take(tuple(rest), fault.detail)
        case ("nodes",) if groups:
            groups[0].add_error("instance_type", fault.detail)
            return True
        case place:
            return facts.take(place, fault.detail)
