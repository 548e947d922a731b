"""The API's own addresses: where everything is, and the schema."""

from typing import ClassVar

from drf_spectacular.utils import OpenApiResponse, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from submissions.api.parameters import api_from_data, known_parameters

# name in the index -> name of the address
ADDRESSES = {
    "submissions": "submission-list",
    "import": "submission-import",
    "bulk": "submission-bulk",
    "compare": "compare",
    "databases": "databases",
    "grid": "grid",
    "one_fact": "one-fact",
    "history": "history",
    "leaderboard": "leaderboard",
    "scaling": "scaling",
    "size": "size",
    "value": "value",
    "chart": "chart",
    "prices": "price-list",
    "moderation": "moderation",
    "follows": "follow-list",
    "tokens": "token-list",
    "schema": "schema",
    "docs": "docs",
}


@api_from_data()
class Index(APIView):
    """The addresses of the API by name."""

    summary: ClassVar[str] = "Where everything is"

    @extend_schema(responses=OpenApiResponse({"type": "object"}, "name -> address"))
    def get(self, request: Request) -> Response:
        known_parameters(request)
        return Response({name: reverse(f"api:{view}", request=request) for name, view in ADDRESSES.items()})


@api_from_data()
class Schema(SpectacularAPIView):
    """The schema itself, of the one version that there is."""

    def _get_version_parameter(self, request: Request) -> None:
        return None  # the library would copy it into a header unchecked
