"""API tokens in the API."""

from typing import Any

from rest_framework import serializers

from submissions.models import ApiToken


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    """`id` is the start of the token; the rest is known only to its owner."""

    id = serializers.CharField(source="token_key", read_only=True)
    scopes = serializers.MultipleChoiceField(choices=ApiToken.Scope.choices, allow_empty=False)
    created_at = serializers.DateTimeField(source="created", read_only=True)
    expires_in_days = serializers.IntegerField(
        min_value=1,
        max_value=ApiToken.MOST_DAYS,
        allow_null=True,
        required=False,
        write_only=True,
        help_text="null or missing: it does not expire",
    )
    expires_at = serializers.DateTimeField(source="expiry", read_only=True, allow_null=True)
    last_used_at = serializers.DateTimeField(
        read_only=True, allow_null=True, help_text="To ten minutes; null: not used yet"
    )

    class Meta:
        model = ApiToken
        fields = ("id", "name", "scopes", "created_at", "expires_in_days", "expires_at", "last_used_at")

    def to_representation(self, instance: ApiToken) -> dict[str, Any]:
        content: dict[str, Any] = super().to_representation(instance)
        return {**content, "scopes": sorted(instance.scopes)}


class NewTokenSerializer(TokenSerializer):
    """With the token itself; it is shown only once."""

    token = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")  # type: ignore[assignment]


class CurrentTokenSerializer(TokenSerializer):
    """With the account that the token speaks for."""

    account = serializers.CharField(source="user.username", read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = ("account", "id", "name", "scopes", "created_at", "expires_at", "last_used_at")
