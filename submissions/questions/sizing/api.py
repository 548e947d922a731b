"""Which configurations reach a throughput, and what they cost: GET /api/v1/size/."""

from submissions.api.answers import AnswerView
from submissions.api.forms import BadParameter
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.sizing.answer import SizingSerializer
from submissions.questions.sizing.form import SizingForm
from submissions.questions.sizing.query import SizingResult, sizing_result


@api_from_data(*Subject, parameters=SizingForm.base_fields)
class Sizing(AnswerView):
    """Configurations of one workload that reach a throughput, the cheapest first."""

    summary = "How many nodes a throughput needs"
    form_class = SizingForm
    answer_class = SizingSerializer

    def result(self, form: SizingForm) -> SizingResult:
        params = form.params
        if params.target_ops_s is None and params.equal_to is None:
            raise BadParameter("target_ops_s", "This field is required, or equal_to.")
        return sizing_result(params, may_be_large=True)
