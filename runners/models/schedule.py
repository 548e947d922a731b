"""A plan or a series that starts again and again. Only runners/schedules/turns.py changes when it is due."""

from datetime import datetime

from django.conf import settings
from django.db import models

from runners.choices import Every


class ScheduleQuerySet(models.QuerySet["Schedule"]):
    def active(self) -> "ScheduleQuerySet":
        return self.filter(paused_at=None)

    def due(self, now: datetime) -> "ScheduleQuerySet":
        return self.active().filter(due_at__lte=now)


class Schedule(models.Model):
    """Either `plan` (the body of POST runs/) or `order` (the body of POST series/) is set."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="schedules")
    title = models.CharField(max_length=300)
    plan = models.JSONField(null=True)
    order = models.JSONField(null=True)
    every = models.CharField(max_length=4, choices=Every.pairs)
    hour = models.PositiveSmallIntegerField()  # UTC
    weekday = models.PositiveSmallIntegerField(null=True)  # 0 is Monday; null: every day
    max_usd_month = models.DecimalField(max_digits=12, decimal_places=4)

    due_at = models.DateTimeField()  # the next turn
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(null=True)
    paused_because = models.CharField(max_length=1000, blank=True)  # one sentence; "" where its owner did it
    failures = models.PositiveSmallIntegerField(default=0)  # turns in a row without a result

    objects = ScheduleQuerySet.as_manager()
    texts_from_outside = ("title", "plan", "order", "paused_because")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["due_at"], name="schedule_due", condition=models.Q(paused_at=None))]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(plan__isnull=True, order__isnull=False)
                | models.Q(plan__isnull=False, order__isnull=True),
                name="a_plan_or_a_series",
            ),
        ]

    def __str__(self) -> str:
        return f"schedule {self.pk}: {self.title}"


class ScheduleTurn(models.Model):
    """One start that was due, whether or not anything started."""

    schedule = models.ForeignKey(Schedule, on_delete=models.CASCADE, related_name="turns")
    due_at = models.DateTimeField()
    begun_at = models.DateTimeField()
    run = models.ForeignKey("runners.Run", on_delete=models.PROTECT, null=True, related_name="+")
    series = models.ForeignKey("runners.Series", on_delete=models.PROTECT, null=True, related_name="+")
    has_result = models.BooleanField(null=True)  # null: not known yet
    outcome = models.CharField(max_length=1000, blank=True)  # in one sentence

    texts_from_outside = ("outcome",)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["schedule", "due_at"], name="one_turn_a_time")]

    def __str__(self) -> str:
        return f"turn of {self.due_at:%Y-%m-%d %H:%M} of schedule {self.schedule_id}"
