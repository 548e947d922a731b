"""Query parameters: the known ones, and no others."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.views import APIView

from benchsite.http.from_data import from_data
from submissions.models import LINK_KEY

FORMAT_PARAMETER = "format"
PAGING = ("cursor", "page_size", "ordering")
LINK_KEY_PARAMETER = OpenApiParameter(LINK_KEY, str, description="The key in the secret link of an unlisted submission")


AnyView = TypeVar("AnyView", bound=Callable[..., Any])


def api_from_data(*subjects: str, parameters: Collection[str] = ()) -> Callable[[AnyView], AnyView]:
    """Of a view of the API: its answers have a format, and a program reads what it has just written."""
    return from_data(*subjects, parameters=(*parameters, FORMAT_PARAMETER), is_for_programs=True)


class StrictFilterBackend(DjangoFilterBackend):
    """Refuses an unknown parameter: a misspelt filter would answer with everything."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        filterset_class = self.get_filterset_class(view, queryset)
        names = filterset_class.base_filters if filterset_class else ()
        of_view: Sequence[str] = getattr(view, "other_parameters", ())
        known_parameters(request, *names, *of_view, *PAGING)
        filtered: QuerySet[Any] = super().filter_queryset(request, queryset, view)
        return filtered


def flag_parameter(request: Request, name: str) -> bool:
    """?name=true or false; missing is false, but not empty: that may have been meant. Raises ValidationError."""
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "false", "1", "0"):
        raise ValidationError({name: ["must be true or false"]})
    return text in ("true", "1")


def known_parameters(request: Request, *names: str) -> None:
    """A misspelt parameter must not silently do something else. Raises ValidationError."""
    unknown = [name for name in request.query_params if name not in (*names, FORMAT_PARAMETER)]
    if unknown:
        allowed = f"known are {', '.join(sorted(names))}" if names else "there are none here"
        raise ValidationError({name: [f"unknown parameter; {allowed}"] for name in unknown})
