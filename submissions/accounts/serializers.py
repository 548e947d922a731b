"""API tokens as the API takes and shows them."""

from typing import Any

from rest_framework import serializers

from submissions.models import ApiToken

MAX_TOKENS = 50  # of one account


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    """`id` is the start of the token; the rest is known only to who made it."""

    id = serializers.CharField(source="token_key", read_only=True)
    scopes = serializers.MultipleChoiceField(choices=ApiToken.Scope.choices, allow_empty=False)
    created_at = serializers.DateTimeField(source="created", read_only=True)

    class Meta:
        model = ApiToken
        fields = ("id", "name", "scopes", "created_at")

    def to_representation(self, instance: ApiToken) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        return {**shown, "scopes": sorted(instance.scopes)}


class NewTokenSerializer(TokenSerializer):
    """With the token itself, this one time."""

    token = serializers.CharField(read_only=True)

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")  # type: ignore[assignment]
