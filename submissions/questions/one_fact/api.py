"""What one fact costs, in the API."""

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.one_fact.answer import OneFactAnswer, OneFactSerializer
from submissions.questions.one_fact.form import OneFactForm
from submissions.questions.one_fact.query import one_fact_of


@api_from_data(*Subject, parameters=OneFactForm.base_fields)
class OneFactView(AnswerView):
    """Pairs of results that differ in one fact alone, such as the replication factor, each with its verdict.

    Without values: the two that the most pairs have.
    """

    summary = "What does one fact cost?"
    form_class = OneFactForm
    answer_class = OneFactSerializer

    def result(self, form: OneFactForm) -> OneFactAnswer:
        return OneFactAnswer(one_fact_of(form.cleaned_data))
