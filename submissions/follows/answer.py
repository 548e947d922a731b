"""Follows as the API takes and answers them."""

from typing import Any

from rest_framework import serializers

from submissions.follows import addresses, manage, sentences
from submissions.follows.scope import FILTERS
from submissions.models import Follow


class _Filters(serializers.DictField):
    """A follow stores them as a query string."""

    def get_attribute(self, instance: Follow) -> dict[str, list[str]]:
        return dict(sentences.filters_of(instance))


class FollowSerializer(serializers.Serializer[Follow]):
    """The address of the webhook is never returned again, only its host."""

    id = serializers.IntegerField(source="pk", read_only=True)
    workload = serializers.CharField(source="workload.fingerprint", max_length=16, help_text="Fingerprint")
    workload_title = serializers.CharField(source="workload.title", read_only=True)
    cluster = serializers.CharField(
        max_length=12,
        allow_blank=True,
        default="",
        help_text="Token of a cluster, as in a history; empty: all",
    )
    filters = _Filters(
        child=serializers.ListField(child=serializers.CharField(max_length=200), max_length=50),
        default=dict,
        help_text=f"Filters of the list of results that choose clusters: {', '.join(FILTERS)}",
    )
    email = serializers.BooleanField(source="by_email", default=False, help_text="To your verified address")
    webhook_url = serializers.CharField(
        max_length=500, allow_blank=True, default="", write_only=True, help_text="https; receives signed POSTs"
    )
    webhook_host = serializers.SerializerMethodField(allow_null=True)
    feed = serializers.BooleanField(
        source="has_feed", default=False, write_only=True, help_text="A secret address for a feed reader"
    )
    feed_url = serializers.SerializerMethodField(allow_null=True)
    threshold_percent = serializers.FloatField(
        min_value=0.1,
        max_value=manage.MOST_PERCENT,
        allow_null=True,
        default=None,
        help_text="Smaller changes are not notified; null: every significant one is",
    )
    quiet_after_days = serializers.IntegerField(
        min_value=1,
        max_value=manage.MOST_DAYS,
        allow_null=True,
        default=None,
        help_text="Notify when no new result has arrived for this many days; null: never",
    )
    state = serializers.SerializerMethodField(help_text="active, paused, or since when and why it is failing")
    created_at = serializers.DateTimeField(read_only=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = [name for name in self.initial_data if name not in self.fields or self.fields[name].read_only]
        if unknown:
            raise serializers.ValidationError({name: ["unknown field"] for name in unknown})
        return attrs

    @property
    def wish(self) -> manage.Wish:
        values = dict(self.validated_data)
        return manage.Wish(**{**values, "workload": values["workload"]["fingerprint"]})

    def get_webhook_host(self, follow: Follow) -> str | None:
        return sentences.webhook_host(follow) if follow.webhook_url else None

    def get_feed_url(self, follow: Follow) -> str | None:
        return addresses.on_site(addresses.feed_address(follow)) if follow.feed_key else None

    def get_state(self, follow: Follow) -> str:
        return sentences.state(follow)


class NewFollowSerializer(FollowSerializer):
    """With the secret that signs the webhook's calls; it is shown only once."""

    webhook_secret = serializers.SerializerMethodField(allow_null=True)

    def get_webhook_secret(self, follow: Follow) -> str | None:
        return addresses.webhook_secret(follow) if follow.webhook_url else None
