"""A series of runs: one plan, varied in a few facts. Only series/progress.py changes one that has begun."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import models
from django.db.models import Q
from django.urls import reverse

from runners.choices import CellOrder, Clusters, SeriesStatus
from submissions.choices import Visibility
from submissions.models import Submission, is_moderator, is_public


class SeriesQuerySet(models.QuerySet["Series"]):
    def open(self) -> "SeriesQuerySet":
        return self.exclude(status__in=SeriesStatus.FINAL)

    def due(self, now: datetime) -> "SeriesQuerySet":
        """Those that a worker should look at now."""
        return self.open().filter(due_at__lte=now)

    def visible_to(self, user: User | AnonymousUser) -> "SeriesQuerySet":
        """Public ones, and the user's own; a moderator's is all."""
        if is_moderator(user):
            return self
        return self.filter(is_public() | Q(owner=user.pk)) if user.is_authenticated else self.filter(is_public())


class Series(models.Model):
    """What was ordered, and what it has come to. Its runs are those of its cells."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="series")
    title = models.CharField(max_length=300)
    status = models.CharField(max_length=10, choices=SeriesStatus.pairs, default=SeriesStatus.QUEUED)
    plan = models.JSONField()  # of the first cell: what varies is in the plan of each
    vary = models.JSONField()  # [{"fields": [dotted path], "values": [[value of each field]]}]
    repetitions = models.PositiveSmallIntegerField()
    order = models.CharField(max_length=11, choices=CellOrder.pairs, default=CellOrder.INTERLEAVED)
    clusters = models.CharField(max_length=8, choices=Clusters.pairs, default=Clusters.SHARED)
    max_usd = models.DecimalField(max_digits=12, decimal_places=4)  # of all its runs together
    max_minutes = models.PositiveIntegerField()  # from `started_at`: then no other run starts
    estimate = models.JSONField()
    visibility = models.CharField(max_length=10, choices=Visibility.pairs, default=Visibility.PUBLIC)
    embargo_until = models.DateTimeField(null=True)
    notify_email = models.BooleanField(default=False)  # to the owner's address, at the end

    due_at = models.DateTimeField(null=True)  # when a worker should look again
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)  # of the first run, or of the first that was made again
    ended_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)

    objects = SeriesQuerySet.as_manager()
    texts_from_outside = ("title", "plan", "vary")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "series"
        indexes = [
            models.Index(fields=["due_at"], name="series_due", condition=~Q(status__in=sorted(SeriesStatus.FINAL))),
            models.Index(fields=["owner", "-id"], name="series_owner"),
        ]
        constraints = [models.CheckConstraint(condition=Q(max_usd__gte=0), name="series_cap_is_not_negative")]

    def __str__(self) -> str:
        return f"series {self.pk}: {self.status}"

    def get_absolute_url(self) -> str:
        return reverse("runners:series_detail", args=[self.pk])

    @property
    def key(self) -> str:
        """`series` in the documents of its results."""
        return f"series-{self.pk}"

    @property
    def is_final(self) -> bool:
        return self.status in SeriesStatus.FINAL

    @property
    def is_open(self) -> bool:
        """Whether everybody may see it."""
        return Submission(visibility=self.visibility, embargo_until=self.embargo_until).is_open


class SeriesCell(models.Model):
    """One attempt at one repetition of one combination of values. Another attempt is another row."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="cells")
    number = models.PositiveSmallIntegerField()  # of the combination, from 0
    repetition = models.PositiveSmallIntegerField()  # from 1
    values = models.JSONField()  # value by dotted path
    plan = models.JSONField()
    place = models.PositiveIntegerField()  # in the order of the starts
    round = models.PositiveSmallIntegerField(null=True)  # with what it is measured in turns; null: with nothing
    is_current = models.BooleanField(default=True)  # False: another attempt has replaced it
    run = models.OneToOneField("runners.Run", on_delete=models.PROTECT, null=True, related_name="series_cell")
    refusal = models.CharField(max_length=1000, blank=True)  # why it was never started

    texts_from_outside = ("values", "plan", "refusal")

    class Meta:
        ordering = ["series_id", "place"]
        constraints = [
            models.UniqueConstraint(fields=["series", "place"], name="one_cell_a_place"),
            models.UniqueConstraint(
                fields=["series", "number", "repetition"], condition=Q(is_current=True), name="one_current_attempt"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.series_id}: cell {self.number + 1}, repetition {self.repetition}"

    @property
    def status(self) -> str:
        """ "queued", "skipped", or that of its run."""
        if self.run is not None:
            return self.run.status
        return "skipped" if self.refusal else "queued"

    @property
    def is_waiting(self) -> bool:
        return self.run_id is None and not self.refusal

    @property
    def is_running(self) -> bool:
        return self.run is not None and not self.run.is_final

    @property
    def has_ended_badly(self) -> bool:
        """Whether it can be run again."""
        return bool(self.refusal) or (self.run is not None and self.run.is_final and self.run.status != "succeeded")

    @property
    def provider(self) -> str:
        plan: dict[str, Any] = self.plan
        return str(plan["provider"])
