"""The form of a plan: each field has a place in the plan's JSON, and shows the faults of that place."""

from collections.abc import Mapping
from typing import Any

from django import forms

from runners import load_tools
from runners.providers.registry import offered
from submissions import facts
from submissions.choices import ConsistencyLevel, PricingModel
from submissions.formatting.names import provider_name, tool_name
from submissions.upload.document_form import DocumentForm, Place

_PRICING_MODELS = [(model.value, model.label) for model in (PricingModel.ON_DEMAND, PricingModel.SPOT)]
_OPERATIONS = [
    ("write", "write (cassandra-stress)"),
    ("read", "read (cassandra-stress)"),
    ("mixed", "mixed (cassandra-stress)"),
    ("tpcb", "TPC-B (pgbench)"),
    ("select", "select only (pgbench)"),
]


def _providers() -> list[tuple[str, str]]:
    return [(slug, provider_name(slug)) for slug in offered()]


def _text(label: str, **attrs: str) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=300, widget=forms.TextInput(attrs=attrs))


def _whole(label: str, help_text: str = "") -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=0, max_value=10**12, help_text=help_text)


class _Json(forms.JSONField):
    """JSON whose empty value is an empty field, not the word null."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


def _under(part: str, *names: str) -> dict[str, Place]:
    """Fields that have the names of the plan."""
    return {name: (part, name) for name in names}


# The heading of each group of fields, and the place of each field in the plan.
GROUPS: Mapping[str, Mapping[str, Place]] = {
    "Where": {
        "provider": ("provider",),
        "region": ("region",),
        "zones": ("zones",),
        "pricing_model": ("pricing_model",),
    },
    "Database": {
        "service": ("service", "name"),
        "service_version": ("service", "version"),
        "database_type": ("database", "instance_type"),
        "database_count": ("database", "count"),
        "database_disks": ("database", "disks"),
        "jdk_vendor": ("jdk", "vendor"),
        "jdk_version": ("jdk", "version"),
        "settings": ("settings",),
    },
    facts.CLIENT_COUNT.label: {
        "client_type": ("client", "instance_type"),
        "client_count": ("client", "count"),
    },
    "Load": _under(
        "workload",
        "tool",
        "operation",
        "read_share",
        "consistency_level",
        "replication_factor",
        "threads",
        "fixed_rate_ops_s",
        "operations",
        "duration_seconds",
        "columns",
        "value_bytes",
        "scale",
        "prefill",
        "disk_test",
    ),
    "Trials and limits": {
        "title": ("title",),
        "trials": ("trials",),
        **_under("workload", "pause_seconds"),
        "max_duration_minutes": ("max_duration_minutes",),
        "max_usd": ("max_usd",),
    },
}


class PlanForm(DocumentForm):
    """Only reads the fields: the plan's own model validates it."""

    title = _text(facts.TITLE.label, placeholder="generated from the plan")
    provider = forms.ChoiceField(label=facts.PROVIDER.label, choices=_providers)
    region = _text(facts.REGION.label, placeholder="e.g. us-east-1")
    zones = _text(facts.ZONES.label, placeholder="e.g. us-east-1a, us-east-1b")
    pricing_model = forms.ChoiceField(label=facts.PRICING_MODEL.label, choices=_PRICING_MODELS, required=False)
    service = _text(facts.SERVICE.label, placeholder="e.g. cassandra")
    service_version = _text(facts.SERVICE_VERSION.label, placeholder="e.g. 5.0.9")
    jdk_vendor = _text(facts.JDK_VENDOR.label, placeholder="e.g. openjdk")
    jdk_version = _text(facts.JDK_VERSION.label, placeholder="e.g. 17")
    database_type = _text(facts.INSTANCE_TYPE.label, placeholder="e.g. m5d.2xlarge")
    database_count = _whole(facts.NODE_COUNT.label)
    database_disks = _Json(
        label=f"{facts.DISK_COUNT.label} (JSON)",
        required=False,
        max_length=5_000,
        help_text='For example [{"kind": "gp3", "count": 1, "size_gib": 500}]',
        widget=forms.TextInput(),
    )
    settings = _Json(
        label=f"{facts.SETTINGS.label} (JSON)",
        required=False,
        max_length=50_000,
        help_text='By file: {"cassandra.yaml": {"concurrent_writes": 128}, "jvm_options": ["-Xmx8G"]}',
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    client_type = _text(facts.INSTANCE_TYPE.label, placeholder="e.g. c5.4xlarge")
    client_count = _whole(facts.CLIENT_COUNT.label)
    tool = forms.ChoiceField(
        label=facts.TOOL.label, choices=[(tool, tool_name(tool)) for tool in sorted(load_tools.MODULES, reverse=True)]
    )
    operation = forms.ChoiceField(label=facts.OPERATION.label, choices=_OPERATIONS)
    read_share = forms.FloatField(
        label="Share of reads", required=False, min_value=0, max_value=1, help_text="Of a mixed operation, 0 to 1."
    )
    consistency_level = forms.ChoiceField(
        label=facts.CONSISTENCY_LEVEL.label,
        required=False,
        choices=[("", "the tool's default"), *ConsistencyLevel.pairs()],
    )
    replication_factor = _whole(facts.REPLICATION_FACTOR.label)
    threads = _whole(facts.THREADS.label)
    fixed_rate_ops_s = forms.FloatField(label=facts.FIXED_RATE.label_with_unit, required=False, min_value=0)
    operations = _whole("Operations per trial", "A trial ends after a number of operations or after a duration.")
    duration_seconds = _whole("Duration per trial (s)")
    columns = _whole(facts.COLUMNS.label)
    value_bytes = _whole(facts.VALUE_BYTES.label_with_unit)
    scale = _whole("Scale factor (pgbench)")
    prefill = _whole("Preloaded rows")
    disk_test = forms.BooleanField(label="Disk test (fio)", required=False)
    trials = _whole(facts.TRIALS.label, "Use at least three to estimate noise.")
    pause_seconds = _whole("Pause between trials (s)")
    max_duration_minutes = _whole("Deadline (minutes)", "When the deadline passes, all machines are deleted.")
    max_usd = forms.DecimalField(label="Budget (USD)", required=False, min_value=0, max_digits=12, decimal_places=4)

    places = {field: place for fields in GROUPS.values() for field, place in fields.items()}

    def clean_zones(self) -> list[str]:
        return [zone.strip() for zone in self.cleaned_data["zones"].split(",") if zone.strip()]

    @classmethod
    def initial_of(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        initial = super().initial_of(content)
        if isinstance(initial.get("zones"), list | tuple):
            initial["zones"] = ", ".join(initial["zones"])
        return initial


class NotifyForm(DocumentForm):
    """Who is notified of the end; not part of the plan, which is content to reproduce."""

    notify_email = forms.BooleanField(label="Email me when the run ends", required=False)
    notify_url = forms.CharField(
        label="Webhook URL",
        required=False,
        max_length=500,
        help_text="Receives a POST when the run ends.",
        widget=forms.TextInput(attrs={"placeholder": "https://...", "inputmode": "url"}),
    )
    places = {"notify_email": ("notify", "email"), "notify_url": ("notify", "url")}
