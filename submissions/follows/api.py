"""GET and POST /api/v1/follows/, GET and DELETE of one."""

from typing import cast

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api.bodies import BoundedBody
from submissions.api.parameters import known_parameters
from submissions.api.permissions import MaySubmit
from submissions.follows import manage
from submissions.follows.answer import FollowSerializer, NewFollowSerializer

_FOLLOW_PAGE = inline_serializer(
    "FollowPage", {"next": serializers.URLField(allow_null=True), "results": FollowSerializer(many=True)}
)


class FollowList(BoundedBody, APIView):
    """What the account follows: histories about whose changes it is notified."""

    is_private = True
    permission_classes = (IsAuthenticated, MaySubmit)
    write_scope = "upload"
    max_body_bytes = 64 * 1024

    @extend_schema(summary="List what you follow", operation_id="follows_list", responses=_FOLLOW_PAGE)
    def get(self, request: Request) -> Response:
        known_parameters(request)
        results = [FollowSerializer(follow).data for follow in manage.own(cast(User, request.user))]
        return Response({"next": None, "results": results})

    @extend_schema(
        summary="Follow a history; the secret of the webhook is shown only once",
        request=FollowSerializer,
        responses={201: NewFollowSerializer},
    )
    def post(self, request: Request) -> Response:
        known_parameters(request)
        body = FollowSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        follow = manage.begin(cast(User, request.user), body.wish)
        return Response(NewFollowSerializer(follow).data, status=201)


class FollowDetail(APIView):
    """One history that the account follows."""

    is_private = True
    permission_classes = (IsAuthenticated, MaySubmit)

    @extend_schema(summary="A history that you follow", responses=FollowSerializer)
    def get(self, request: Request, pk: int) -> Response:
        known_parameters(request)
        return Response(FollowSerializer(get_object_or_404(manage.own(cast(User, request.user)), pk=pk)).data)

    @extend_schema(summary="Stop following a history", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        known_parameters(request)
        get_object_or_404(manage.own(cast(User, request.user)), pk=pk).delete()
        return Response(status=204)
