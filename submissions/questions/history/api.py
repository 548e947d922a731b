"""The history of a workload on equal clusters in the API."""

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.history.answer import HistoryAnswer, HistorySerializer
from submissions.questions.history.form import HistoryForm, history_question
from submissions.questions.history.query import history_result


@api_from_data(*Subject, parameters=HistoryForm.base_fields)
class HistoryView(AnswerView):
    """Results of one workload on equal clusters in the order of their measurement, with changes of level."""

    summary = "A workload on equal clusters over time"
    form_class = HistoryForm
    answer_class = HistorySerializer

    def result(self, form: HistoryForm) -> HistoryAnswer:
        question = history_question(form.cleaned_data, may_be_large=True)
        if question.workload is None or question.line is None:
            return HistoryAnswer(question, None)
        result = history_result(question.workload, question.line, question.latency_kind, question.trust)
        return HistoryAnswer(question, result)
