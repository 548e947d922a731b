"""The coverage map: GET /api/v1/coverage/."""

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.coverage.answer import CoverageSerializer
from submissions.questions.coverage.form import CoverageForm
from submissions.questions.coverage.query import CoverageResult, coverage_result


@api_from_data(*Subject, parameters=CoverageForm.base_fields)
class Coverage(AnswerView):
    """How many results each database and work has on each provider or machine family, how new they are, and what a run
    of an empty cell would cost.
    """

    summary = "Coverage: what was measured where, and the gaps"
    form_class = CoverageForm
    answer_class = CoverageSerializer

    def result(self, form: CoverageForm) -> CoverageResult:
        return coverage_result(form.params)
