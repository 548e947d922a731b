"""Two submissions compared, as JSON."""

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models import LINK_KEY, Submission
from submissions.models.versions.data_version import Subject
from submissions.questions.compare.answer import CompareSerializer
from submissions.questions.compare.form import PairForm
from submissions.questions.compare.query import CompareResult, compare_submissions
from submissions.records.unpublished import for_its_readers


@api_from_data(*Subject, parameters=[name for name in PairForm.base_fields if name != LINK_KEY])
class Compare(AnswerView):
    """b compared with a: ratio = b / a."""

    summary = "Compare two submissions"
    form_class = PairForm
    answer_class = CompareSerializer
    compared: Sequence[Submission] = ()

    def form_options(self, request: Request) -> dict[str, Any]:
        return {"user": request.user}

    def result(self, form: PairForm) -> CompareResult:
        self.compared = form.submissions
        return compare_submissions(form.submissions, form.cleaned_data["max_p99_ms"], form.terms)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        return for_its_readers(super().finalize_response(request, response, *args, **kwargs), *self.compared)
