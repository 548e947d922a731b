"""What to run, where, and what it costs: GET /api/v1/recommend/."""

from submissions.api.answers import AnswerView
from submissions.api.forms import BadParameter
from submissions.questions.recommend.answer import RecommendSerializer
from submissions.questions.recommend.candidates import is_tallied
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.recommend.query import RecommendResult, recommend_result


class Recommend(AnswerView):
    """The cheapest measured cluster that does it, the best value, and the fastest within the budget."""

    summary = "Recommended clusters for a throughput, a p99 and a budget"
    form_class = RecommendForm
    answer_class = RecommendSerializer

    def result(self, form: RecommendForm) -> RecommendResult:
        if not form.is_asked:
            raise BadParameter("service", "This field is required, or workload.")
        return recommend_result(form.params, tallied=is_tallied())
