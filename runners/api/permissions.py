"""Who may start and stop runs through the API."""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from runners.creation import may_start
from submissions.api.permissions import SAFE_METHODS, Scoped
from submissions.models import ApiToken


class MayRun(Scoped):
    """A session, or a token with the scope `run`: a token for submitting starts nothing."""

    scope = ApiToken.Scope.RUN


class MayStart(BasePermission):
    """The account's own right to start runs on this site."""

    message = "your account may not start runs on this site: ask its operators"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or may_start(request.user)
