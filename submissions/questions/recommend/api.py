"""What to run, where, and what it costs: GET /api/v1/recommend/."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers
from rest_framework.request import Request

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.recommend.answer import RecommendSerializer
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.recommend.grid.answer import RecommendGridSerializer
from submissions.questions.recommend.grid.query import GridResult, grid_result
from submissions.questions.recommend.input_range.query import result_of
from submissions.questions.recommend.query import RecommendResult


@api_from_data(*Subject, parameters=RecommendForm.base_fields)
class Recommend(AnswerView):
    """The cheapest measured cluster that does it, the best value, and the fastest within the budget.

    Without a database and without a workload: `grid`, the cheapest measured cluster of each database for 10 k, 50 k,
    100 k and 500 k ops/s, or for `target_ops_s` alone.

    `target_ops_s` and `data_gib` may be ranges, such as `20k-60k` or `1TB-5TB`: the answers are those of the upper
    ends, and `range` has the cheapest cluster of both ends and the difference.
    """

    summary = "Recommended clusters for a throughput, a p99 and a budget"
    form_class = RecommendForm
    answer_class = RecommendSerializer
    answer_schema = PolymorphicProxySerializer(
        "RecommendOrGrid", [RecommendSerializer, RecommendGridSerializer], resource_type_field_name=None
    )

    def result(self, form: RecommendForm) -> RecommendResult | GridResult:
        if form.is_asked:
            return result_of(form, may_be_large=True)
        return grid_result(form.grid_params)

    def answer(self, request: Request, form: Any, result: Any) -> serializers.Serializer[Any]:
        if isinstance(result, GridResult):
            return RecommendGridSerializer(result, context={"request": request, "form": form})
        return super().answer(request, form, result)
