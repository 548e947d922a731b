"""Databases under the same load: GET /api/v1/databases/."""

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.databases.answer import DatabasesSerializer
from submissions.questions.databases.form import DatabasesForm
from submissions.questions.databases.query import DatabasesResult, databases_result


@api_from_data(*Subject, parameters=DatabasesForm.base_fields)
class Databases(AnswerView):
    """The best result of each cluster of each database under one load; a verdict where consistency is comparable."""

    summary = "Databases under the same load"
    form_class = DatabasesForm
    answer_class = DatabasesSerializer

    def result(self, form: DatabasesForm) -> DatabasesResult:
        return databases_result(form.params)
