"""Who follows which histories, what changed in them, who was notified, and what people say about a change."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from submissions.choices import LatencyKind
from submissions.metrics import LATENCY_P99, METRICS, THROUGHPUT, Metric
from submissions.models.results.submission import is_published


class FollowQuerySet(models.QuerySet["Follow"]):
    def active(self) -> "FollowQuerySet":
        """Those that are checked and notified."""
        return self.filter(paused_at=None, user__is_active=True)


class Follow(models.Model):
    """An account hears of the histories of a workload: of all clusters, of one, or of those with some facts."""

    MOST_PER_ACCOUNT = 50

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="follows")
    workload = models.ForeignKey("submissions.Workload", on_delete=models.CASCADE, related_name="follows")
    cluster = models.CharField(max_length=12, blank=True)  # token of a line; empty: all
    cluster_name = models.CharField(max_length=500, blank=True)
    filters = models.CharField(max_length=1000, blank=True)  # query string of the list of results, in sorted order
    by_email = models.BooleanField(default=False)
    webhook_url = models.CharField(max_length=500, blank=True)  # never shown again, never logged
    webhook_nonce = models.CharField(max_length=32, blank=True)  # the secret is derived from it, and stored nowhere
    feed_key = models.CharField(max_length=32, null=True, unique=True)  # null: there is no feed
    threshold_percent = models.FloatField(null=True)  # smaller changes are not notified; null: all significant ones
    quiet_after_days = models.PositiveSmallIntegerField(null=True)  # null: silence is not notified
    created_at = models.DateTimeField(auto_now_add=True)
    since = models.DateTimeField()  # created or resumed: what was there before is not notified
    has_baseline = models.BooleanField(default=False)  # what was there before is noted
    paused_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)  # of the webhook or the mail; null: the last attempt succeeded
    failure = models.CharField(max_length=200, blank=True)

    objects = FollowQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["user", "workload", "cluster", "filters"], name="follows_once"),
            models.CheckConstraint(
                condition=Q(threshold_percent=None) | Q(threshold_percent__gt=0), name="follow_threshold_is_positive"
            ),
            models.CheckConstraint(
                condition=Q(quiet_after_days=None) | Q(quiet_after_days__gt=0), name="follow_quiet_is_positive"
            ),
        ]
        indexes = [models.Index(fields=["workload"], condition=Q(paused_at=None), name="active_follows")]

    def __str__(self) -> str:
        return f"follow {self.pk} of workload {self.workload_id}"


class WatchedWorkload(models.Model):
    """How far the changes of a followed workload have been detected: by the totals that were true then."""

    workload = models.OneToOneField(
        "submissions.Workload", on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    state = models.CharField(max_length=50, blank=True)
    checked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"workload {self.workload_id}, checked {self.checked_at}"


class LevelChangeQuerySet(models.QuerySet["LevelChange"]):
    def seen(self) -> "LevelChangeQuerySet":
        """Those that the history still has, and whose first result anybody may see."""
        return self.filter(is_published("after__"), gone_at=None)


class LevelChange(models.Model):
    """A change of level of one metric on one line, as the history detected it; percentages are of the mean."""

    workload = models.ForeignKey("submissions.Workload", on_delete=models.CASCADE, related_name="level_changes")
    cluster = models.CharField(max_length=12)  # token of the line
    cluster_name = models.CharField(max_length=500)
    metric = models.CharField(max_length=30, choices=[(m.key, m.label) for m in (THROUGHPUT, LATENCY_P99)])
    latency_kind = models.CharField(max_length=20, choices=LatencyKind.pairs, blank=True)  # of a p99
    # the first result of the new level: more results may move it
    after = models.ForeignKey("submissions.Submission", on_delete=models.CASCADE, related_name="level_changes")
    first_after = models.BigIntegerField()  # the number of the one that it was at first
    at = models.DateTimeField()  # measured_at of `after`
    percent = models.FloatField()
    mean_before = models.FloatField()  # in the unit of the metric
    mean_after = models.FloatField()
    n_before = models.PositiveIntegerField()  # results of the levels
    n_after = models.PositiveIntegerField()
    first_seen_at = models.DateTimeField(auto_now_add=True)
    gone_at = models.DateTimeField(null=True)  # the history does not have it any more

    objects = LevelChangeQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["workload", "cluster", "metric", "latency_kind", "after"], name="one_change_at_a_result"
            ),
        ]
        indexes = [models.Index(fields=["first_after", "metric"], name="first_of_a_change")]

    def __str__(self) -> str:
        return f"{self.metric} of {self.cluster_name}: {self.percent:+.1f} % since {self.at:%Y-%m-%d}"

    def get_absolute_url(self) -> str:
        return reverse("submissions:level_change", args=[self.after_id, self.metric])

    @property
    def of_metric(self) -> Metric:
        return METRICS[self.metric]

    @property
    def is_better(self) -> bool:
        return (self.percent > 0) == self.of_metric.higher_is_better


class Notice(models.Model):
    """One message to a follower: the changes since the last one, or that no result has come for long."""

    class Kind(models.TextChoices):
        CHANGES = "changes"
        QUIET = "quiet"

    class State(models.TextChoices):
        """Of the mail, of the call of the webhook. Whoever sends claims it first: nothing is sent twice."""

        UNWANTED = ""
        WAITING = "waiting"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"

    follow = models.ForeignKey(Follow, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=10, choices=Kind)
    created_at = models.DateTimeField(auto_now_add=True)
    # of a quiet one: when the newest result came, or when the follow began
    quiet_since = models.DateTimeField(null=True)
    mail = models.CharField(max_length=10, choices=State, default=State.UNWANTED, blank=True)
    webhook = models.CharField(max_length=10, choices=State, default=State.UNWANTED, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["follow", "quiet_since"], name="one_notice_of_a_silence")]
        indexes = [
            models.Index(
                fields=["created_at"], condition=Q(mail="waiting") | Q(webhook="waiting"), name="waiting_notices"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to follow {self.follow_id}"

    @property
    def changes(self) -> LevelChangeQuerySet:
        """Those that can still be seen, the newest first."""
        return LevelChange.objects.seen().filter(followed__notice=self).select_related("workload")


class FollowedChange(models.Model):
    """A change and a follow that covers it: whoever inserts the row decides whether it is notified, once for all."""

    class State(models.TextChoices):
        PENDING = "pending"
        NOTIFIED = "notified"
        EARLIER = "earlier"  # it was there before the follow
        OLD = "old"  # measured long ago: an import of old results

    follow = models.ForeignKey(Follow, on_delete=models.CASCADE, related_name="changes")
    change = models.ForeignKey(LevelChange, on_delete=models.CASCADE, related_name="followed")
    state = models.CharField(max_length=10, choices=State)
    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, null=True, related_name="followed_changes")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["follow", "change"], name="one_decision_about_a_change")]
        indexes = [models.Index(fields=["follow"], condition=Q(state="pending"), name="pending_changes")]

    def __str__(self) -> str:
        return f"{self.state}: follow {self.follow_id}, change {self.change_id}"


class Acknowledgement(models.Model):
    """An account has taken note of a change: for itself, nobody else sees it."""

    change = models.ForeignKey(LevelChange, on_delete=models.CASCADE, related_name="acknowledgements")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["change", "user"], name="acknowledged_once")]

    def __str__(self) -> str:
        return f"change {self.change_id} by account {self.user_id}"


class CommentQuerySet(models.QuerySet["ChangeComment"]):
    def public(self) -> "CommentQuerySet":
        """Neither hidden by a moderator nor of a closed account."""
        return self.filter(hidden_at=None, user__is_active=True)


class ChangeComment(models.Model):
    """What somebody knows about a change; public."""

    MAX_TEXT = 2000
    MOST_A_DAY = 20  # of one account

    change = models.ForeignKey(LevelChange, on_delete=models.CASCADE, related_name="comments")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    text = models.TextField(max_length=MAX_TEXT)
    created_at = models.DateTimeField(auto_now_add=True)
    hidden_at = models.DateTimeField(null=True)  # by its author or a moderator

    objects = CommentQuerySet.as_manager()

    texts_from_outside = ("text",)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text[:80]
