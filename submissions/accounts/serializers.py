"""API tokens in the API."""

from typing import Any

from rest_framework import serializers

from submissions.models import ApiToken


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    """`id` is the start of the token; the rest is known only to its owner."""

    id = serializers.CharField(source="token_key", read_only=True)
    scopes = serializers.MultipleChoiceField(choices=ApiToken.Scope.choices, allow_empty=False)
    created_at = serializers.DateTimeField(source="created", read_only=True)

    class Meta:
        model = ApiToken
        fields = ("id", "name", "scopes", "created_at")

    def to_representation(self, instance: ApiToken) -> dict[str, Any]:
        content: dict[str, Any] = super().to_representation(instance)
        return {**content, "scopes": sorted(instance.scopes)}


class NewTokenSerializer(TokenSerializer):
    """With the token itself, which is shown only once."""

    token = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")  # type: ignore[assignment]
