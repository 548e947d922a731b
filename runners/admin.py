"""What site operators see of runs and of users' cloud accounts; the one change is to cancel a run."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from runners import lifecycle
from runners.models import CloudAccess, Run, RunEvent, RunNode, Schedule, Series
from runners.series import progress
from submissions.admin import ReadOnly


class NodeInline(ReadOnly, admin.TabularInline):
    model = RunNode
    fields = ("name", "role", "instance_type", "state", "provider_id", "launched_at", "terminated_at")
    extra = 0


class EventInline(ReadOnly, admin.TabularInline):
    model = RunEvent
    fields = readonly_fields = ("at", "kind", "old_status", "new_status", "message")
    extra = 0


@admin.register(Run)
class RunAdmin(ReadOnly, admin.ModelAdmin):
    """Without its keys, and without the webhook's URL, which may contain a secret."""

    list_display = ("id", "title", "owner", "provider", "status", "end_reason", "worst_case_usd", "created_at")
    list_filter = ("status", "end_reason", "provider")
    list_select_related = ("owner",)
    search_fields = ("tag", "owner__username")
    fields = readonly_fields = (
        *("owner", "provider", "cloud_access", "status", "end_reason", "end_detail", "cancel_requested_at"),
        *("max_usd", "worst_case_usd", "created_at", "confirmed_at", "launched_at", "deadline_at", "ended_at"),
        *("tag", "submission", "plan", "receipt"),
    )
    inlines = (NodeInline, EventInline)
    actions = ("cancel_selected",)

    @admin.action(description="Cancel the selected runs", permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Run]) -> None:
        open_runs = [run for run in queryset if not run.is_final]
        for run in open_runs:
            lifecycle.request_cancel(run)
            self.log_change(request, run, "Cancelled.")
        self.message_user(request, f"{len(open_runs)} cancelled.", messages.SUCCESS)

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("runners.change_run"))


@admin.register(CloudAccess)
class CloudAccessAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "owner", "provider", "principal", "created_at", "removed_at")
    list_filter = ("provider", ("removed_at", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    search_fields = ("principal", "owner__username")
    fields = readonly_fields = ("owner", "provider", "principal", "created_at", "removed_at")


@admin.register(Series)
class SeriesAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "title", "owner", "status", "max_usd", "created_at", "ended_at")
    list_filter = ("status",)
    list_select_related = ("owner",)
    search_fields = ("title", "owner__username")
    fields = readonly_fields = (
        *("owner", "title", "status", "repetitions", "order", "max_usd", "max_minutes", "created_at", "started_at"),
        *("ended_at", "cancel_requested_at", "plan", "vary"),
    )
    actions = ("cancel_selected",)

    @admin.action(description="Cancel the selected series", permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Series]) -> None:
        open_series = [series for series in queryset if not series.is_final]
        for series in open_series:
            progress.request_cancel(series)
            self.log_change(request, series, "Cancelled.")
        self.message_user(request, f"{len(open_series)} cancelled.", messages.SUCCESS)

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("runners.change_run"))


@admin.register(Schedule)
class ScheduleAdmin(ReadOnly, admin.ModelAdmin):
    """Without its plan, in which the address of a webhook may be a secret."""

    list_display = ("id", "title", "owner", "every", "due_at", "paused_at", "failures")
    list_filter = ("every", ("paused_at", admin.EmptyFieldListFilter))
    list_select_related = ("owner",)
    search_fields = ("title", "owner__username")
    fields = readonly_fields = (
        *("owner", "title", "every", "hour", "weekday", "max_usd_month", "due_at", "failures", "paused_at"),
        *("paused_because", "created_at"),
    )
