"""PostgreSQL on this machine by one button: the offer on the first page, and the POST that starts the run."""

from collections.abc import Collection

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from benchsite.http.refusals import Refusal
from runners import creation
from runners.choices import RunStatus
from runners.creation import MAY_NOT_START, may_run_on, may_start
from runners.load_tools import for_plan
from runners.load_tools.pgbench.pgbench import PGBENCH_PRESET
from runners.models import Run
from runners.plan_schema.run_plan import RunPlan, as_json
from runners.plans.estimate import expected_seconds, usual_trials
from runners.plans.presets import is_offered


def offer(request: HttpRequest, measured_here: Collection[str]) -> SafeString:
    """Until PostgreSQL has a result of this machine: for who may start the run, and for strangers, who may sign in."""
    plan = RunPlan.model_validate(PGBENCH_PRESET)
    if plan.service.name in measured_here or not is_offered(PGBENCH_PRESET):
        return SafeString()
    may_measure = may_start(request.user) and may_run_on(plan.provider, request.user)
    if request.user.is_authenticated and not may_measure:
        return SafeString()
    seconds = round(expected_seconds(plan, for_plan(plan), usual_trials(plan)))
    context = {"plan": plan, "seconds": seconds, "may_measure": may_measure}
    return SafeString(render_to_string("runners/_first_run.html", context, request))


@require_POST
def measure_here(request: HttpRequest) -> HttpResponse:
    """Starts the run, which is free; a second click leads to the run that the first one has started."""
    user = request.user
    if not isinstance(user, User):
        return redirect_to_login(reverse("submissions:home"))
    if not may_start(user):
        raise PermissionDenied(MAY_NOT_START)
    plan = as_json(RunPlan.model_validate(PGBENCH_PRESET))
    started = Run.objects.open().filter(owner=user, plan=plan).exclude(status=RunStatus.PLANNED).first()
    if started is not None:
        return redirect(started)
    try:
        return redirect(creation.create_and_confirm(PGBENCH_PRESET, user))
    except Refusal as error:
        messages.error(request, f"PostgreSQL cannot be measured on this machine: {error}")
        return redirect("submissions:home")
