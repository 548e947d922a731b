"""What can be asked of the results: the comparison of two, the price book, the list of addresses."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from benchsite.pagination import KeysetPagination, Ordering
from submissions.analysis.compare import Ratio, differs
from submissions.api import documentation as docs
from submissions.api.parameters import known_parameters
from submissions.models import Price, Submission
from submissions.questions.compare import query as comparisons
from submissions.records.api.parts import Money
from submissions.records.list.filters import PriceFilter

MAX_ID = 2**63 - 1


class Index(APIView):
    """Where everything is."""

    @docs.index
    def get(self, request: Request) -> Response:
        known_parameters(request)
        names = {
            "submissions": "submission-list",
            "import": "submission-import",
            "bulk": "submission-bulk",
            "compare": "compare",
            "leaderboard": "leaderboard",
            "scaling": "scaling",
            "size": "size",
            "prices": "price-list",
            "tokens": "token-list",
            "schema": "schema",
            "docs": "docs",
        }
        return Response({name: reverse(f"api:{view}", request=request) for name, view in names.items()})


class CompareQuery(serializers.Serializer[Any]):
    a = serializers.IntegerField(min_value=1, max_value=MAX_ID, help_text="A submission")
    b = serializers.IntegerField(min_value=1, max_value=MAX_ID, help_text="The one set against it")


class Compare(APIView):
    """b against a: ratio = b / a."""

    @docs.compare(CompareQuery)
    def get(self, request: Request) -> Response:
        known_parameters(request, "a", "b")
        asked = CompareQuery(data=request.query_params)
        asked.is_valid(raise_exception=True)
        a, b = _both(asked.validated_data)
        side = comparisons.against(a, [b])[0]
        found = side.against_first
        return Response(
            {
                "a": a.pk,
                "b": b.pk,
                "throughput": _ratio(found.throughput),
                "ops_per_usd": _ratio(found.ops_per_usd),
                "latency_p99": _ratio(found.latency_p99),
                "same_workload": found.same_workload,
                "differs": differs(a.document, b.document),
                "sentence": side.sentence,
            }
        )


def _both(ids: dict[str, int]) -> tuple[Submission, Submission]:
    found = {one.pk: one for one in comparisons.load([ids["a"], ids["b"]])}
    missing = {name: [f"there is no submission {pk}"] for name, pk in ids.items() if pk not in found}
    if missing:
        raise serializers.ValidationError(missing)
    return found[ids["a"]], found[ids["b"]]


def _ratio(ratio: Ratio | None) -> dict[str, Any] | None:
    return None if ratio is None else asdict(ratio)


class PriceSerializer(serializers.ModelSerializer[Price]):
    """USD for one unit, in force from `valid_from` (a UTC day) until the next one."""

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
            "source",
        )
        read_only_fields = fields


class PriceList(generics.ListAPIView[Price]):
    """The dated price book; with `at` only what was in force on that day."""

    serializer_class = PriceSerializer
    pagination_class = KeysetPagination
    filterset_class = PriceFilter
    orderings: ClassVar[dict[str, Ordering]] = {
        "instance_type": Ordering("sku", descending=False),
        "usd": Ordering("usd", descending=False),
        "-usd": Ordering("usd", descending=True),
        "-valid_from": Ordering("valid_from", descending=True),
    }
    default_ordering = "instance_type"

    def get_queryset(self) -> QuerySet[Price]:
        return Price.objects.all()

    @docs.listing("prices")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)
