"""How throughput grows with the nodes: GET /api/v1/scaling/."""

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.scaling.answer import ScalingSerializer
from submissions.questions.scaling.form import ScalingForm
from submissions.questions.scaling.query import ScalingResult, scaling_result


@api_from_data(*Subject, parameters=ScalingForm.base_fields)
class Scaling(AnswerView):
    """One series of one workload: clusters of one instance type at one provider."""

    summary = "How throughput grows with the nodes"
    form_class = ScalingForm
    answer_class = ScalingSerializer

    def result(self, form: ScalingForm) -> ScalingResult:
        return scaling_result(form.params, may_be_large=True)
