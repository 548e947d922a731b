"""Two submissions compared, as JSON."""

from submissions.api.answers import AnswerView
from submissions.questions.compare.answer import CompareSerializer
from submissions.questions.compare.form import PairForm
from submissions.questions.compare.query import CompareResult, compare_submissions


class Compare(AnswerView):
    """b compared with a: ratio = b / a."""

    summary = "Compare two submissions"
    form_class = PairForm
    answer_class = CompareSerializer

    def result(self, form: PairForm) -> CompareResult:
        return compare_submissions(form.submissions)
