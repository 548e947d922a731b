"""What the site's keepers see: results and prices are immutable, so nearly everything is read-only."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from submissions.accounts import invitations
from submissions.choices import Outcome
from submissions.models import (
    ApiToken,
    Artifact,
    Dataset,
    InstanceType,
    Invitation,
    ModerationDecision,
    NodeGroup,
    Price,
    Report,
    ShortLink,
    Submission,
    Trial,
    Upload,
    Workload,
    is_moderator,
)
from submissions.moderation.decisions import decide_all


class ReadOnly:
    """No add, no change, no delete: what is stored is a record."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class TrialInline(ReadOnly, admin.TabularInline):
    model = Trial
    fields = ("index", "throughput_ops_s", "operations", "errors", "duration_s", "latency_kind", "latency_p99_ms")
    extra = 0


class NodeGroupInline(ReadOnly, admin.TabularInline):
    model = NodeGroup
    fields = ("position", "role", "count", "instance_type", "pricing_model", "node_hourly_usd", "price_source")
    extra = 0


class ArtifactInline(ReadOnly, admin.TabularInline):
    model = Artifact
    fields = ("name", "kind", "trial_index", "size_bytes", "sha256")
    extra = 0


@admin.register(Submission)
class SubmissionAdmin(ReadOnly, admin.ModelAdmin):
    list_display = (
        "id",
        "title",
        "service",
        "provider",
        "throughput_ops_s",
        "trust",
        "visibility",
        "submitted_by",
        "retracted_at",
    )
    list_filter = ("service", "provider", "trust", "visibility", ("retracted_at", admin.EmptyFieldListFilter))
    list_select_related = ("submitted_by",)
    search_fields = ("title", "content_hash", "submitted_by__username")
    show_full_result_count = False  # a count of all rows at every search
    inlines = (TrialInline, NodeGroupInline, ArtifactInline)
    actions = ("unrank_selected", "hide_selected")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Staff who are no moderators see what everybody sees, and their own."""
        return super().get_queryset(request) & Submission.objects.visible_to(request.user)

    @admin.action(description="Take off the leaderboards as spam or fraud", permissions=["moderate"])
    def unrank_selected(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        self._decide(request, queryset, Outcome.UNRANKED)

    @admin.action(description="Hide as spam or fraud", permissions=["moderate"])
    def hide_selected(self, request: HttpRequest, queryset: QuerySet[Submission]) -> None:
        self._decide(request, queryset, Outcome.HIDDEN)

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return is_moderator(request.user)

    def _decide(self, request: HttpRequest, queryset: QuerySet[Submission], outcome: Outcome) -> None:
        """The reason is public; who decided stands in the log of decisions, which only moderators see."""
        by = User.objects.get(pk=request.user.pk or 0)
        decided = decide_all(list(queryset), outcome, reason="Spam or fraud.", by=by)
        self.message_user(request, f"{len(decided)} {outcome.label}.", messages.SUCCESS)


@admin.register(ModerationDecision)
class ModerationDecisionAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "created_at", "outcome", "submission_id", "account", "reason", "moderator")
    list_filter = ("outcome",)
    list_select_related = ("moderator", "account")


@admin.register(Report)
class ReportAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "created_at", "reason", "submission_id", "reporter", "resolved_at")
    list_filter = ("reason", ("resolved_at", admin.EmptyFieldListFilter))
    list_select_related = ("reporter",)


@admin.register(Workload)
class WorkloadAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("fingerprint", "title", "service", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Workload]:
        workloads: QuerySet[Workload] = super().get_queryset(request)
        return workloads if is_moderator(request.user) else workloads & Workload.objects.open()

    list_filter = ("service",)
    search_fields = ("fingerprint", "title")


@admin.register(Price)
class PriceAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("provider", "region", "sku", "unit", "pricing_model", "usd", "valid_from", "last_seen", "source")
    list_filter = ("provider", "pricing_model", "unit")
    search_fields = ("sku", "region")
    show_full_result_count = False


@admin.register(InstanceType)
class InstanceTypeAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("provider", "name", "vcpus", "memory_gib", "local_disk_gib", "source")
    list_filter = ("provider",)
    search_fields = ("name",)


@admin.register(Upload)
class UploadAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "owner", "status", "created_at")
    list_filter = ("status",)
    list_select_related = ("owner",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Upload]:
        """What becomes of an upload may be private: only moderators see those of others."""
        uploads: QuerySet[Upload] = super().get_queryset(request)
        return uploads if is_moderator(request.user) else uploads.filter(owner=request.user.pk)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly, admin.ModelAdmin):
    """A token is made on its owner's account page; here it can only be revoked."""

    list_display = ("token_key", "name", "user", "scopes", "created", "last_used_at", "expiry")
    list_select_related = ("user",)
    search_fields = ("token_key", "name", "user__username")
    fields = ("token_key", "name", "user", "scopes", "created", "last_used_at", "expiry")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("submissions.delete_apitoken"))


@admin.register(ShortLink)
class ShortLinkAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("key", "path", "created_at", "created_by", "last_used_on")
    list_select_related = ("created_by",)
    search_fields = ("key", "path")


@admin.register(Dataset)
class DatasetAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("made_at", "folder")


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):
    """The link is shown once, when the invitation is made."""

    list_display = ("id", "note", "email", "created_by", "created_at", "expires_at", "used_at", "used_by")
    list_select_related = ("created_by", "used_by")
    fields = ("note", "email")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        obj.created_by_id = request.user.pk
        link = invitations.invite(obj)
        was_sent = invitations.send(obj, link)
        sent = f" It was sent to {obj.email}." if was_sent else ""
        self.message_user(request, f"The link, shown only now: {link}{sent}", messages.SUCCESS)
