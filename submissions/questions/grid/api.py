"""The grid of differences in the API."""

from submissions.aggregates.store import refresh
from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.grid.answer import GridAnswer, GridSerializer
from submissions.questions.grid.form import GridForm, grid_layout, with_family
from submissions.questions.grid.query import grid_result


@api_from_data(*Subject, parameters=GridForm.base_fields)
class GridView(AnswerView):
    """Throughput of a variant against a baseline, in percent, for each combination of the rows' and columns' facts.

    Parameters that are omitted are chosen so that the grid is as full as possible.
    """

    summary = "Percent differences of two variants over two facts"
    form_class = GridForm
    answer_class = GridSerializer

    def result(self, form: GridForm) -> GridAnswer:
        asked = grid_layout(form.cleaned_data)
        refresh(asked.offered.members(form.cleaned_data["workload"]), may_be_large=True)
        question = with_family(form.cleaned_data, asked)
        return GridAnswer(question, grid_result(question.choice) if question.choice else None)
