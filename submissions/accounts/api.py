"""API tokens of the account that is signed in: list, create, revoke."""

from datetime import timedelta
from typing import cast

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.accounts.serializers import CurrentTokenSerializer, NewTokenSerializer, TokenSerializer
from submissions.accounts.tokens import make_token
from submissions.api.bodies import BoundedBody
from submissions.api.parameters import known_parameters
from submissions.api.permissions import HasToken, IsSignedIn
from submissions.models import ApiToken

_TOKEN_PAGE = inline_serializer(
    "TokenPage", {"next": serializers.URLField(allow_null=True), "results": TokenSerializer(many=True)}
)


class TokenList(BoundedBody, APIView):
    """The tokens of the account that is signed in."""

    is_private = True
    permission_classes = (IsSignedIn,)
    max_body_bytes = 64 * 1024

    @extend_schema(summary="List your tokens", responses=_TOKEN_PAGE)
    def get(self, request: Request) -> Response:
        known_parameters(request)
        return Response({"next": None, "results": TokenSerializer(_own(request), many=True).data})

    @extend_schema(
        summary="Create a token; it is shown only once",
        request=TokenSerializer,
        responses={201: NewTokenSerializer},
    )
    def post(self, request: Request) -> Response:
        known_parameters(request)
        body = TokenSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        values = dict(body.validated_data)
        days = values.pop("expires_in_days", None)
        token, text = make_token(cast(User, request.user), valid_for=days and timedelta(days=days), **values)
        token.token = text
        return Response(NewTokenSerializer(token).data, status=201)

    @extend_schema(summary="Revoke all your tokens", operation_id="tokens_destroy_all", responses={204: None})
    def delete(self, request: Request) -> Response:
        """Takes effect immediately and cannot be undone."""
        known_parameters(request)
        _own(request).delete()
        return Response(status=204)


class CurrentToken(APIView):
    """What the token of this request may do; a program checks its token with it."""

    is_private = True
    permission_classes = (HasToken,)

    @extend_schema(summary="The token that you use", responses=CurrentTokenSerializer)
    def get(self, request: Request) -> Response:
        known_parameters(request)
        token = cast(ApiToken, request.auth)  # HasToken
        return Response(CurrentTokenSerializer(token).data)


class TokenDetail(APIView):
    is_private = True
    permission_classes = (IsSignedIn,)

    @extend_schema(summary="Revoke a token", responses={204: None})
    def delete(self, request: Request, key: str) -> Response:
        """Takes effect immediately and cannot be undone."""
        known_parameters(request)
        get_object_or_404(_own(request), token_key=key).delete()
        return Response(status=204)


def _own(request: Request) -> QuerySet[ApiToken]:
    own: QuerySet[ApiToken] = ApiToken.objects.filter(user_id=request.user.pk)
    return own
