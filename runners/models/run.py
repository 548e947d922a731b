"""A run and its history. Only lifecycle.py changes `Run.status`."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.db.models import Q
from django.urls import reverse

from runners.choices import EndReason, EventKind, RunStatus, operation_name
from runners.load_search.sentences import load_words
from runners.plan_schema.run_plan import THIS_MACHINE
from submissions.choices import Visibility
from submissions.formatting.names import cluster_name, place_name, service_name, tool_name
from submissions.formatting.text import plural
from submissions.models import Submission, is_linked, is_moderator, is_public


class RunQuerySet(models.QuerySet["Run"]):
    def open(self) -> "RunQuerySet":
        return self.exclude(status__in=RunStatus.FINAL)

    def due(self, now: datetime) -> "RunQuerySet":
        """What a driver should work on now: confirmed, not ended, not held by another worker."""
        return (
            self.open()
            .exclude(status=RunStatus.PLANNED)
            .filter(due_at__lte=now)
            .filter(Q(held_until=None) | Q(held_until__lte=now))
        )

    def on_machines_of(self, tag: str) -> "RunQuerySet":
        """The run that launched what carries this tag in a cloud, and those that took its machines over."""
        return self.filter(Q(tag=tag) | Q(launch_tag=tag))

    def offering(self) -> "RunQuerySet":
        """Those with `offers_machines`."""
        is_offered = Q(state__has_key="offered_at") & ~Q(state__has_key="withdrawn")
        return self.filter(is_offered, status=RunStatus.TEARING_DOWN, handed_over_to=None)

    def visible_to(self, user: User | AnonymousUser) -> "RunQuerySet":
        """Those whose result everybody may see, or would; the user's own; a moderator's is all."""
        if is_moderator(user):
            return self
        has_result = Q(submission__isnull=False)
        is_open = (has_result & is_public("submission__") & Q(submission__hidden_at=None)) | (~has_result & is_public())
        return self.filter(is_open | Q(owner=user.pk)) if user.is_authenticated else self.filter(is_open)

    def by_link(self, user: User | AnonymousUser, keys: Sequence[str] = ()) -> "RunQuerySet":
        """What the user may open by an address with these keys: runs of unlisted results, which have the key, too."""
        return self.visible_to(user) | self.filter(is_linked(keys, "submission__"))


class Run(models.Model):
    """One attempt to launch a cluster, stress it and tear it down.

    `plan` and `estimate` are frozen at confirmation. `state` is the scratch of the current step
    (attempts, handles of detached commands): everything that another worker needs to continue.
    `ssh_key` and `host_key` are encrypted (runners/hosts/keys.py) and deleted at the end.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="runs")
    status = models.CharField(max_length=20, choices=RunStatus.pairs, default=RunStatus.PLANNED)
    end_reason = models.CharField(max_length=20, choices=EndReason.pairs, null=True)
    end_detail = models.CharField(max_length=1000, blank=True)  # one sentence, no secrets
    provider = models.CharField(max_length=50)
    plan = models.JSONField()
    estimate = models.JSONField(null=True)
    max_usd = models.DecimalField(max_digits=12, decimal_places=4)  # the budget of the run
    worst_case_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True)

    tag = models.CharField(max_length=63, unique=True)  # on everything the run creates in a cloud
    # that of the run that launched its machines, where it took them over; "" where it launches its own
    launch_tag = models.CharField(max_length=63, blank=True, default="", db_default="")
    # the run that had its machines before; no two runs take over the same
    took_over_from = models.OneToOneField("self", on_delete=models.RESTRICT, null=True, related_name="handed_over_to")
    state = models.JSONField(default=dict)
    progress = models.JSONField(default=dict)  # what the live page shows
    receipt = models.JSONField(null=True)
    diagnosis = models.JSONField(null=True)  # what the hosts' logs show: see diagnosis/keep.py; null: not looked
    ssh_key = models.BinaryField(null=True)
    host_key = models.BinaryField(null=True)

    due_at = models.DateTimeField(null=True)  # when a driver should look again
    held_until = models.DateTimeField(null=True)  # by the worker that works on it; expires when the worker dies
    held_by = models.CharField(max_length=20, null=True)  # the token of that hold: no other worker changes the run
    troubles = models.PositiveIntegerField(default=0, db_default=0)  # failed attempts in a row at the current step
    created_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True)
    launched_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)  # then it is torn down, whatever its status
    expires_at = models.DateTimeField(null=True)  # written as a tag: the sweep deletes after it
    ended_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    blocked_since = models.DateTimeField(null=True)  # its machines cannot be deleted: it no longer takes a place

    submission = models.ForeignKey("submissions.Submission", on_delete=models.PROTECT, null=True, related_name="runs")
    visibility = models.CharField(max_length=10, choices=Visibility.pairs, default=Visibility.PUBLIC)  # of the result
    embargo_until = models.DateTimeField(null=True)
    notify_url = models.URLField(max_length=500, blank=True)  # receives a POST at the end
    notify_email = models.BooleanField(default=False)  # to the owner's address, at the end
    # null: the machines run in the site's account
    cloud_access = models.ForeignKey("runners.CloudAccess", on_delete=models.PROTECT, null=True, related_name="runs")

    objects = RunQuerySet.as_manager()
    texts_from_outside = ("plan", "end_detail", "diagnosis")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["due_at"], name="run_due", condition=~Q(status__in=sorted(RunStatus.FINAL))),
            models.Index(fields=["owner", "-id"], name="run_owner"),
            models.Index(fields=["launch_tag"], name="run_launch_tag", condition=~Q(launch_tag="")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(status__in=sorted(RunStatus.FINAL)) | Q(end_reason__isnull=False),
                name="ended_for_a_reason",
            ),
            models.CheckConstraint(condition=Q(max_usd__gte=0), name="cap_is_not_negative"),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.status}"

    def get_absolute_url(self) -> str:
        return f"{reverse('runners:detail', args=[self.pk])}{self.link_query}"

    @property
    def link_query(self) -> str:
        """That of its result: as long as an unlisted run has none, it is for its owner."""
        return self.submission.link_query if self.submission else ""

    @property
    def cloud_tag(self) -> str:
        """What its machines, and all that was created with them, carry in the cloud."""
        return self.launch_tag or self.tag

    @property
    def successor(self) -> "Run | None":
        """The run that took its machines over."""
        return getattr(self, "handed_over_to", None)

    @property
    def offers_machines(self) -> bool:
        """Whether its tear-down waits for the next run of its series: see steps/machines/handover.py."""
        is_offered = "offered_at" in self.state and "withdrawn" not in self.state
        return self.status == RunStatus.TEARING_DOWN and is_offered and self.successor is None

    @property
    def has_released_machines(self) -> bool:
        """Whether another run has them, or may: this one measures nothing any more."""
        return self.successor is not None or self.offers_machines

    @property
    def title(self) -> str:
        """The title of the plan, or the plan in a few words."""
        plan = self.plan
        where = f"{self.database_nodes} · {place_name(plan['provider'], plan.get('region'))}"
        if plan["database"]["instance_type"] == THIS_MACHINE:
            where = "this machine"
        load = f"{tool_name(plan['workload']['tool'])} {self.operation_name}"
        return plan.get("title") or f"{service_name(plan['service']['name'])} on {where}: {load}"

    @property
    def database_nodes(self) -> str:
        """ "3× m5.xlarge", or "1 node" of this machine."""
        count, instance_type = self.plan["database"]["count"], self.plan["database"]["instance_type"]
        return plural(count, "node") if instance_type == THIS_MACHINE else cluster_name(count, instance_type)

    @property
    def operation_name(self) -> str:
        return operation_name(self.plan["workload"]["operation"])

    @property
    def load_words(self) -> str:
        """ "highest rate that keeps p99 ≤ 20 ms ...", "500 ops/s, 16 threads"; "" for a plan with one load."""
        return load_words(self.plan["load"]) if self.plan.get("load") else ""

    @property
    def is_open(self) -> bool:
        """Whether everybody may see it: as its result, once there is one."""
        if self.submission is not None:
            return self.submission.is_open
        return Submission(visibility=self.visibility, embargo_until=self.embargo_until).is_open

    @property
    def is_final(self) -> bool:
        return self.status in RunStatus.FINAL

    @property
    def can_submit_again(self) -> bool:
        """Whether it ended without a result although outputs of its trials are kept."""
        if not self.is_final or self.submission_id is not None:
            return False
        return self.outputs.filter(trial__isnull=False, sha256__isnull=False).exists()

    @property
    def has_all_trials(self) -> bool:
        if self.plan.get("load"):
            return "load_ended" in self.progress
        return bool(self.progress.get("trials_done", 0) >= self.plan["trials"])


class RunEvent(models.Model):
    """The history that the page shows."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=10, choices=EventKind.pairs, default=EventKind.STATUS)
    old_status = models.CharField(max_length=20, choices=RunStatus.pairs, null=True)
    new_status = models.CharField(max_length=20, choices=RunStatus.pairs, null=True)
    message = models.CharField(max_length=1000, blank=True)

    texts_from_outside = ("message",)

    class Meta:
        ordering = ["run_id", "id"]

    def __str__(self) -> str:
        return self.message or f"{self.old_status} -> {self.new_status}"
