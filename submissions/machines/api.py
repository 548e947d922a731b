"""Machine types: GET /api/v1/machines/ and /api/v1/machines/<provider>/<type>/."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import NotFound

from submissions.api.answers import AnswerView
from submissions.api.parameters import api_from_data
from submissions.machines.answer import MachineSerializer, MachinesSerializer
from submissions.machines.catalogue import MachineKey, catalogue, nearest
from submissions.machines.form import MachineForm, MachinesForm
from submissions.machines.machine import MachineResult, machine_result
from submissions.machines.query import MachinesResult, machines_result
from submissions.machines.sentences import unknown_type
from submissions.models.versions.data_version import Subject


@extend_schema_view(get=extend_schema(operation_id="machines_list"))
@api_from_data(*Subject, parameters=MachinesForm.base_fields)
class MachinesView(AnswerView):
    """Every machine type of the price book and of results: facts, price, how many results. CSV has all pages."""

    summary = "Machine types"
    form_class = MachinesForm
    answer_class = MachinesSerializer

    def result(self, form: MachinesForm) -> MachinesResult:
        return machines_result(form, timezone.now().date())


@api_from_data(*Subject, parameters=MachineForm.base_fields)
class MachineView(AnswerView):
    """A machine type: facts, today's prices in every region, their history in one, best value by database.

    Its results are those of `submissions/` with its provider and instance type. CSV has the prices.
    """

    summary = "A machine type"
    form_class = MachineForm
    answer_class = MachineSerializer

    def result(self, form: MachineForm) -> MachineResult:
        key = MachineKey(self.kwargs["provider"], self.kwargs["name"])
        result = machine_result(key, form.cleaned_data["region"], timezone.now().date(), form.cleaned_data["discount"])
        if result is None:
            raise NotFound(unknown_type(str(key), nearest(str(key), catalogue())))
        return result
