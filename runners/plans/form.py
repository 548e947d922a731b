"""A plan as a form: every field stands at a place of the plan's JSON, and its faults come back to it."""

from typing import Any

from django import forms

from runners.accounts.cloud_accounts import offered_clouds
from runners.providers.registry import offered
from submissions.choices import ConsistencyLevel
from submissions.upload.document_form import DocumentForm

_PRICING = [("on_demand", "on demand"), ("spot", "spot")]
_OPERATIONS = [
    ("write", "write (cassandra-stress)"),
    ("read", "read (cassandra-stress)"),
    ("mixed", "mixed (cassandra-stress)"),
    ("tpcb", "TPC-B (pgbench)"),
    ("select", "select only (pgbench)"),
]


def _text(label: str, **attrs: str) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=300, widget=forms.TextInput(attrs=attrs))


def _whole(label: str, help_text: str = "") -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=0, max_value=10**12, help_text=help_text)


class _Json(forms.JSONField):
    """JSON whose empty value is an empty field, not the word null."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


class PlanForm(DocumentForm):
    """What the plan's own model checks is not checked twice: this only reads the fields."""

    title = _text("Title", placeholder="made from the plan")
    provider = forms.ChoiceField(label="Provider")
    region = _text("Region", placeholder="e.g. us-east-1")
    zones = _text("Zones", placeholder="e.g. us-east-1a, us-east-1b, us-east-1c")
    pricing_model = forms.ChoiceField(label="Bought as", choices=_PRICING, required=False)
    service = _text("Database", placeholder="e.g. cassandra")
    service_version = _text("Database version", placeholder="e.g. 5.0.9")
    jdk_vendor = _text("JDK vendor", placeholder="e.g. openjdk")
    jdk_version = _text("JDK version", placeholder="e.g. 17")
    database_type = _text("Instance type", placeholder="e.g. m5d.2xlarge")
    database_count = _whole("Database nodes")
    database_disks = _Json(
        label="Disks of a node, JSON",
        required=False,
        max_length=5_000,
        widget=forms.TextInput(attrs={"placeholder": '[{"kind": "gp3", "count": 1, "size_gib": 500}]'}),
    )
    settings = _Json(
        label="Settings, JSON",
        required=False,
        max_length=50_000,
        help_text='By file: {"cassandra.yaml": {"concurrent_writes": 128}, "jvm_options": ["-Xmx8G"]}',
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    client_type = _text("Instance type", placeholder="e.g. c5.4xlarge")
    client_count = _whole("Clients")
    tool = forms.ChoiceField(
        label="Load tool", choices=[("pgbench", "pgbench"), ("cassandra-stress", "cassandra-stress")]
    )
    operation = forms.ChoiceField(label="Operation", choices=_OPERATIONS)
    read_share = forms.FloatField(label="Share of reads (mixed)", required=False, min_value=0, max_value=1)
    consistency_level = forms.ChoiceField(
        label="Consistency level", required=False, choices=[("", "the tool's own"), *ConsistencyLevel.pairs()]
    )
    replication_factor = _whole("Replication factor")
    threads = _whole("Threads of one client")
    fixed_rate_ops_s = forms.FloatField(label="Fixed rate, ops/s", required=False, min_value=0)
    operations = _whole("Operations of a trial", "Either operations or a duration ends a trial.")
    duration_seconds = _whole("Duration of a trial, s")
    columns = _whole("Columns")
    value_bytes = _whole("Bytes of one column")
    scale = _whole("Scale (pgbench)")
    prefill = _whole("Rows written first")
    disk_test = forms.BooleanField(label="Disk test (fio)", required=False)
    trials = _whole("Trials", "Three or more tell how much is noise.")
    pause_seconds = _whole("Pause between trials, s")
    max_duration_minutes = _whole("Deadline, minutes", "Whatever it does then, its machines go.")
    max_usd = forms.DecimalField(
        label="Spend at most, USD", required=False, min_value=0, max_digits=12, decimal_places=4
    )

    places = {
        "title": ("title",),
        "provider": ("provider",),
        "region": ("region",),
        "zones": ("zones",),
        "pricing_model": ("pricing_model",),
        "service": ("service", "name"),
        "service_version": ("service", "version"),
        "jdk_vendor": ("jdk", "vendor"),
        "jdk_version": ("jdk", "version"),
        "database_type": ("database", "instance_type"),
        "database_count": ("database", "count"),
        "database_disks": ("database", "disks"),
        "settings": ("settings",),
        "client_type": ("client", "instance_type"),
        "client_count": ("client", "count"),
        **{
            name: ("workload", name)
            for name in (
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
                "pause_seconds",
            )
        },
        "trials": ("trials",),
        "max_duration_minutes": ("max_duration_minutes",),
        "max_usd": ("max_usd",),
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["provider"].choices = [(slug, slug) for slug in offered()]

    def clean_zones(self) -> list[str]:
        return [zone.strip() for zone in self.cleaned_data["zones"].split(",") if zone.strip()]

    @classmethod
    def initial_of(cls, content: Any) -> dict[str, Any]:
        initial = super().initial_of(content)
        if isinstance(initial.get("zones"), list | tuple):
            initial["zones"] = ", ".join(initial["zones"])
        return initial


class NotifyForm(DocumentForm):
    """Who hears of the end; beside the plan, which is content to reproduce."""

    notify_email = forms.BooleanField(label="E-mail to me at the end", required=False)
    notify_url = forms.CharField(
        label="Webhook at the end",
        required=False,
        max_length=500,
        widget=forms.TextInput(attrs={"placeholder": "https://...", "inputmode": "url"}),
    )
    places = {"notify_email": ("notify", "email"), "notify_url": ("notify", "url")}


class CloudAccessForm(forms.Form):
    """A role or a service account of the user's that the site may act as."""

    provider = forms.ChoiceField(label="Cloud")
    principal = forms.CharField(
        label="Role or service account",
        max_length=600,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        clouds = offered_clouds()
        self.fields["provider"].choices = [(slug, cloud.label) for slug, cloud in clouds.items()]
        self.fields["principal"].help_text = f"{'; '.join(cloud.principal_help for cloud in clouds.values())}."


GROUPS = (
    ("Where", ("provider", "region", "zones", "pricing_model")),
    (
        "Database",
        (
            "service",
            "service_version",
            "database_type",
            "database_count",
            "database_disks",
            "jdk_vendor",
            "jdk_version",
            "settings",
        ),
    ),
    ("Clients", ("client_type", "client_count")),
    (
        "Load",
        (
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
    ),
    ("Trials and limits", ("title", "trials", "pause_seconds", "max_duration_minutes", "max_usd")),
)
