"""The filters of a list, and nothing beside them."""

from typing import Any

from django.db.models import QuerySet
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from submissions.api.doors import known_parameters

PAGING = ("cursor", "page_size", "ordering")


class StrictFilterBackend(DjangoFilterBackend):  # type: ignore[misc]
    """Refuses an unknown parameter: a misspelt filter would answer with everything."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: APIView) -> QuerySet[Any]:
        filterset_class = self.get_filterset_class(view, queryset)
        names = filterset_class.base_filters if filterset_class else ()
        known_parameters(request, *names, *PAGING)
        filtered: QuerySet[Any] = super().filter_queryset(request, queryset, view)
        return filtered
