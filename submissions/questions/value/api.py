"""What a dollar buys within one workload: GET /api/v1/value/."""

from django.utils import timezone

from submissions.api.answers import AnswerView
from submissions.api.forms import BadParameter
from submissions.questions.value.answer import ValueSerializer
from submissions.questions.value.form import ValueForm
from submissions.questions.value.query import ValueResult, value_result, with_ages


class ValueView(AnswerView):
    """Groups of one workload by their best submission, in operations per dollar, and the Pareto front."""

    summary = "Rank groups of one workload by operations per dollar"
    form_class = ValueForm
    answer_class = ValueSerializer

    def result(self, form: ValueForm) -> ValueResult:
        result = value_result(form.params)
        if result is None:
            raise BadParameter("workload", "no workload has a priced submission yet", is_missing=True)
        return with_ages(result, timezone.now().date())
