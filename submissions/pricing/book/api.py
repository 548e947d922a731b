"""The price book, as JSON and CSV."""

from typing import ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseBase, HttpResponseNotModified
from django.utils.cache import patch_cache_control, patch_vary_headers
from rest_framework import serializers
from rest_framework.request import Request

from benchsite.http.compression import gzip_file_response
from benchsite.http.from_data import is_known_to
from benchsite.http.pagination import Ordering
from submissions.api.fields import Money
from submissions.api.lists import CSVListView
from submissions.api.parameters import PAGING, api_from_data
from submissions.formatting import csv
from submissions.models import Price
from submissions.models.versions.data_version import Subject
from submissions.pricing.book import book_file
from submissions.pricing.machines.filters import PriceFilter
from submissions.vocabulary import slug


class PriceSerializer(serializers.ModelSerializer[Price]):
    """USD for one unit, in force from `valid_from` (a UTC day) until the next one; `last_seen` confirmed it last."""

    instance_type = serializers.CharField(source="sku", help_text="Or what else is priced")
    usd = Money()

    class Meta:
        model = Price
        fields = (
            "provider",
            "region",
            "instance_type",
            "unit",
            "pricing_model",
            "usd",
            "valid_from",
            "last_seen",
            "source",
        )
        read_only_fields = fields


@api_from_data(Subject.PRICES, parameters=(*PriceFilter.base_filters, *PAGING))
class PriceList(CSVListView[Price]):
    summary = "List the prices"
    description = (
        "The dated price book; with `at` only the prices in force on that day. "
        "CSV has every row that the filters leave; JSON is paged. "
        "The CSV of the whole book, and that of one `provider` without another parameter, is a file with its length "
        "and an ETag, which changes with the prices."
    )
    serializer_class = PriceSerializer
    filterset_class = PriceFilter
    csv_name = "prices"
    orderings: ClassVar[dict[str, Ordering]] = {
        "instance_type": Ordering("sku", descending=False),
        "usd": Ordering("usd", descending=False),
        "-usd": Ordering("usd", descending=True),
        "-valid_from": Ordering("valid_from", descending=True),
        "-last_seen": Ordering("last_seen", descending=True),
    }
    default_ordering = "instance_type"

    def get_queryset(self) -> QuerySet[Price]:
        return Price.objects.all()

    def _export(self, request: Request) -> HttpResponseBase:
        provider = _only_provider(request)
        response = None if provider is None else self._file(request, provider)
        return super()._export(request) if response is None else response

    def _file(self, request: Request, provider: str) -> HttpResponseBase | None:
        key = book_file.key_of(provider)
        etag = f'W/"{key}"'
        response: HttpResponseBase
        if is_known_to(request._request, etag):
            response = HttpResponseNotModified()
        else:
            file = book_file.opened(key, provider)
            if file is None:
                return None
            response = gzip_file_response(
                request._request, file, content_type=csv.CONTENT_TYPE, filename=csv.file_name(self.csv_name)
            )
        response["ETag"] = etag
        patch_cache_control(response, public=True, no_cache=True)
        patch_vary_headers(response, ("Accept", "Accept-Encoding"))
        return response


def _only_provider(request: Request) -> str | None:
    """The provider whose prices are wanted, "" for those of all; None where anything else chooses among them."""
    given = request.query_params
    providers = [provider for provider in given.getlist("provider") if provider]
    if set(given) - {"format", "provider"} or len(providers) > 1:
        return None
    try:
        return slug(providers[0]) if providers else ""
    except ValueError:
        return None
