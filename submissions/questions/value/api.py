"""What a dollar buys within one workload: GET /api/v1/value/."""

from django.utils import timezone
from rest_framework.request import Request

from submissions.api.answers import AnswerView
from submissions.api.forms import BadParameter
from submissions.api.parameters import api_from_data
from submissions.models.versions.data_version import Subject
from submissions.questions.value.answer import ValueSerializer
from submissions.questions.value.form import ValueForm
from submissions.questions.value.query import Offer, ValueResult, value_of, value_offer, with_ages
from submissions.records.cache import cached_of_workload


@api_from_data(*Subject, parameters=ValueForm.base_fields)
class ValueView(AnswerView):
    """Groups of one workload by their best submission, in operations per dollar, and the Pareto front."""

    summary = "Rank groups of one workload by operations per dollar"
    form_class = ValueForm
    answer_class = ValueSerializer

    def json(self, request: Request, form: ValueForm) -> bytes:
        """Cached as it is sent, until a result of the workload comes or changes, or a price."""
        offer = _offer(form)
        workload = offer.workload
        key = ("value", workload.fingerprint, workload.title, request.build_absolute_uri(), timezone.now().date())
        return cached_of_workload(
            workload.pk,
            key,
            lambda: self.json_of(request, form, _result(form, offer)),
            subjects=[Subject.PRICES],
            may_be_old=False,
        )

    def result(self, form: ValueForm) -> ValueResult:
        return _result(form, _offer(form))


def _result(form: ValueForm, offer: Offer) -> ValueResult:
    return with_ages(value_of(form.params, offer), timezone.now().date())


def _offer(form: ValueForm) -> Offer:
    offer = value_offer(form.params)
    if offer is None:
        raise BadParameter("workload", "no workload has a priced submission yet", is_missing=True)
    return offer
