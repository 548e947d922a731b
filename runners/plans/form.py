"""The form of a plan: each field has a place in the plan's JSON, and shows the faults of that place."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.forms import BoundField
from django.forms.fields import InvalidJSONInput
from django.urls import reverse_lazy

from runners.choices import Diagnosis
from runners.load_tools import workload_of
from runners.plans import fields, load_fields
from runners.plans.presets import usual_plan
from runners.providers.registry import offered
from submissions import facts
from submissions.api.number_fields import AmountField, NumberField, WholeNumberField
from submissions.choices import ConsistencyLevel, PricingModel
from submissions.formatting.names import provider_name
from submissions.upload.document_form import DocumentForm, Place

_PRICING_MODELS = [(model.value, model.label) for model in (PricingModel.ON_DEMAND, PricingModel.SPOT)]

# Typed values that another provider, or another load tool, makes meaningless
_OF_PROVIDER = ("region", "zones", "pricing_model", "database_type", "database_disks", "client_type")
_OF_TOOL = ("service_version", "jdk_vendor", "jdk_version", "settings", "database_count", "operation")


_WIDE = {"data-wide": "true"}
# Another choice: the form with the fields of that choice, out of the page with all of it
_SHOWS_FIELDS = {
    "hx-post": reverse_lazy("runners:fields"),
    "hx-trigger": "change",
    "hx-target": "#plan-form",
    "hx-select": "#plan-form",
    "hx-swap": "outerHTML",
}
_LISTS_TYPES = {
    "hx-get": reverse_lazy("runners:types"),
    "hx-trigger": "change",
    "hx-target": "#instance-types",
    "hx-swap": "outerHTML",
    "hx-include": "closest form",
    "hx-params": "provider,tool,region",
    "list": "regions",
    "autocomplete": "off",
}


def _providers() -> list[tuple[str, str]]:
    return [(slug, provider_name(slug)) for slug in offered()]


_CHOICES: Mapping[str, Callable[[], list[tuple[str, str]]]] = {
    "provider": _providers,
    "tool": fields.tools,
    "load_kind": lambda: load_fields.KINDS,
}


def _text(label: str, **attrs: Any) -> forms.CharField:
    return forms.CharField(label=label, required=False, max_length=300, widget=forms.TextInput(attrs=attrs))


def _whole(label: str, help_text: str = "", unit: str = "") -> WholeNumberField:
    return WholeNumberField(unit=unit, label=label, required=False, min_value=0, max_value=10**12, help_text=help_text)


def _parsed(text: str) -> Any:
    """None for what is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class _Json(forms.JSONField):
    """JSON whose empty value is an empty field, not null, {} or []."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value in (None, {}, []) else super().prepare_value(value)

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except RecursionError as error:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        try:
            return super().bound_data(data, initial)
        except RecursionError:
            return InvalidJSONInput(data)


def _under(part: str, *names: str) -> dict[str, Place]:
    """Fields that have the names of the plan."""
    return {name: (part, name) for name in names}


# The heading of each group of fields, and the place of each field in the plan.
GROUPS: Mapping[str, Mapping[str, Place]] = {
    "What and where": {
        "tool": ("workload", "tool"),
        "provider": ("provider",),
        "region": ("region",),
        "zones": ("zones",),
        "pricing_model": ("pricing_model",),
        "allow_equivalent_type": ("allow_equivalent_type",),
    },
    "Database": {
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
    "Load levels": {"load_kind": ("load",), **load_fields.PLACES},
    "Trials and limits": {
        "title": ("title",),
        "trials": ("trials",),
        **_under("workload", "pause_seconds"),
        "max_duration_minutes": ("max_duration_minutes",),
        "max_usd": ("max_usd",),
        "traffic_usd_per_gb": ("traffic_usd_per_gb",),
        "diagnosis": ("diagnosis",),
        "cpu_profile": ("cpu_profile",),
    },
}


class PlanForm(load_fields.LoadFields, DocumentForm):
    """Only reads the fields: the plan's own model validates it. It has those of its provider and its load tool."""

    title = _text(facts.TITLE.label, placeholder="generated from the plan", **_WIDE)
    provider = forms.ChoiceField(
        label=facts.PROVIDER.label, choices=_providers, widget=forms.Select(attrs=_SHOWS_FIELDS)
    )
    region = _text(facts.REGION.label, **_LISTS_TYPES)
    zones = _text(facts.ZONES.label, placeholder="separated by commas", **_WIDE)
    pricing_model = forms.ChoiceField(label=facts.PRICING_MODEL.label, choices=_PRICING_MODELS, required=False)
    allow_equivalent_type = forms.BooleanField(
        label="Allow an equivalent instance type",
        required=False,
        help_text="If no zone has the chosen type: same family and size, another generation. The result states it.",
    )
    service_version = _text(facts.SERVICE_VERSION.label)
    jdk_vendor = _text(facts.JDK_VENDOR.label, placeholder="e.g. openjdk")
    jdk_version = _text(facts.JDK_VERSION.label, placeholder="e.g. 17")
    database_type = _text(facts.INSTANCE_TYPE.label, list="instance-types", autocomplete="off")
    database_count = _whole(facts.NODE_COUNT.label)
    database_disks = _Json(
        label=f"{facts.DISK_COUNT.label} (JSON)",
        required=False,
        max_length=5_000,
        help_text='For example [{"kind": "gp3", "count": 1, "size_gib": 500}]',
        widget=forms.TextInput(attrs=_WIDE),
    )
    settings = _Json(
        label=f"{facts.SETTINGS.label} (JSON)",
        required=False,
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 2, **_WIDE}),
    )
    client_type = _text(facts.INSTANCE_TYPE.label, list="instance-types", autocomplete="off")
    client_count = _whole(facts.CLIENT_COUNT.label)
    tool = forms.ChoiceField(
        label="Database and load tool", choices=fields.tools, widget=forms.Select(attrs={**_SHOWS_FIELDS, **_WIDE})
    )
    operation = forms.ChoiceField(label=facts.OPERATION.label)
    read_share = NumberField(
        label="Share of reads", required=False, min_value=0, max_value=1, help_text="Of mixed reads and writes, 0 to 1."
    )
    consistency_level = forms.ChoiceField(
        label=facts.CONSISTENCY_LEVEL.label,
        required=False,
        choices=[("", "the tool's default"), *ConsistencyLevel.pairs()],
    )
    replication_factor = _whole(facts.REPLICATION_FACTOR.label)
    threads = _whole(facts.THREADS.label)
    fixed_rate_ops_s = NumberField(unit="ops/s", label=facts.FIXED_RATE.label_with_unit, required=False, min_value=0)
    operations = _whole("Operations per trial", "A trial ends after a number of operations or after a duration.")
    duration_seconds = _whole("Duration per trial (s)", unit="s")
    columns = _whole(facts.COLUMNS.label)
    value_bytes = _whole(facts.VALUE_BYTES.label_with_unit, unit="bytes")
    scale = _whole("Scale factor", "100,000 accounts each.")
    prefill = _whole("Preloaded rows")
    disk_test = forms.BooleanField(label="Disk test (fio)", required=False)
    load_kind = forms.ChoiceField(
        label="Load", choices=load_fields.KINDS, required=False, widget=forms.Select(attrs={**_SHOWS_FIELDS, **_WIDE})
    )
    trials = _whole(facts.TRIALS.label, "Use at least three to estimate noise.")
    pause_seconds = _whole("Pause between trials (s)", unit="s")
    max_duration_minutes = _whole("Deadline (minutes)", "When the deadline passes, all machines are deleted.", "min")
    max_usd = AmountField(label="Budget (USD)", required=False, min_value=0, max_digits=12, decimal_places=4)
    traffic_usd_per_gb = AmountField(
        label="Traffic between zones (USD/GB)",
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=8,
        help_text="Sender and receiver together. Used only if no price is known for the region.",
    )

    diagnosis = forms.ChoiceField(
        label="Logs and configuration of the hosts",
        required=False,
        choices=[
            (Diagnosis.ON_FAILURE.value, "keep them if the run fails"),
            (Diagnosis.ALWAYS.value, "always keep them, and publish them with the result"),
        ],
        widget=forms.Select(attrs=_WIDE),
    )
    cpu_profile = forms.BooleanField(
        label="CPU profile of the first database node",
        required=False,
        help_text="One more trial with a profiler; its figures are not part of the result.",
    )

    places = {field: place for group in GROUPS.values() for field, place in group.items() if field != "load_kind"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.chosen_provider, self.chosen_tool = self._chosen("provider"), self._chosen("tool")
        self.chosen_load = self._chosen("load_kind")
        left_out = fields.left_out(self.chosen_provider, self.chosen_tool) | load_fields.left_out(self.chosen_load)
        for name in left_out:
            self.fields.pop(name, None)
        operation = self.fields["operation"]
        if isinstance(operation, forms.ChoiceField):
            operation.choices = fields.operations_of(self.chosen_tool)
        if workload := workload_of(self.chosen_tool):
            self.fields["service_version"].widget.attrs["placeholder"] = workload.version_example
            self.fields["settings"].help_text = f"By file: {workload.settings_example}"

    def _chosen(self, name: str) -> str:
        """One of the choices of a select; the first, unless another is given."""
        choices = [value for value, _ in _CHOICES[name]()]
        given = self.data.get(name) if self.is_bound else self.initial.get(name)
        return given if given in choices else next(iter(choices), "")

    def groups(self) -> list[tuple[str, list[BoundField]]]:
        """Each heading with those of its fields that the form has."""
        groups = [(title, [self[name] for name in names if name in self.fields]) for title, names in GROUPS.items()]
        return [(title, shown) for title, shown in groups if shown]

    def content(self) -> dict[str, Any]:
        made = super().content()
        for name, part in fields.implied(self.chosen_provider, self.chosen_tool).items():
            made[name] = {**made.get(name, {}), **part}
        return {**made, **load_fields.part(self.chosen_load, made.get("load", {}))}

    def take(self, place: Place, detail: str) -> bool:
        # the tool decides the database
        return super().take(("workload", "tool") if place == ("service", "name") else place, detail)

    @classmethod
    def initial_of_choice(cls, typed: Mapping[str, str]) -> dict[str, Any]:
        """What the fields show after another provider or tool was chosen: what was typed, else what is usual there.

        `was_provider` and `was_tool` are those of the fields that were typed into.
        """
        provider, tool = typed.get("provider", ""), typed.get("tool", "")
        dropped = set(_OF_PROVIDER if typed.get("was_provider") != provider else ())
        if typed.get("was_tool") != tool:
            dropped |= {*_OF_TOOL, *GROUPS["Load"]}
        kept = {name: typed[name] for name in cls.base_fields if typed.get(name) and name not in dropped}
        for name in ("database_disks", "settings"):
            if name in kept:
                kept[name] = _parsed(kept[name])
        initial = {**cls.initial_of(usual_plan(provider, tool)), **kept}
        return {**initial, **load_fields.usual(typed.get("load_kind", ""), initial), **kept}

    def clean_zones(self) -> list[str]:
        return [zone.strip() for zone in self.cleaned_data["zones"].split(",") if zone.strip()]

    @classmethod
    def initial_of(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        initial = super().initial_of(content)
        initial["load_kind"] = load_fields.kind_of(content.get("load"))
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
