"""Two submissions compared, and the price book, as JSON."""

from typing import ClassVar

from django.db.models import QuerySet
from rest_framework import generics, serializers

from benchsite.pagination import KeysetPagination, Ordering
from submissions.api.answers import AnswerView
from submissions.api.fields import Money
from submissions.models import Price
from submissions.questions.compare.answer import CompareSerializer
from submissions.questions.compare.form import PairForm
from submissions.questions.compare.query import CompareResult, compare_submissions
from submissions.records.list.filters import PriceFilter


class Compare(AnswerView):
    """b compared with a: ratio = b / a."""

    summary = "Compare two submissions"
    form_class = PairForm
    answer_class = CompareSerializer

    def result(self, form: PairForm) -> CompareResult:
        return compare_submissions(form.submissions)


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

    summary = "List the prices"
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
