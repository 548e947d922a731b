"""One's own schedules: what starts every day or week, and what came of it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from benchsite.http.refusals import Fault, Refusal
from runners.choices import Every
from runners.creation import MAY_NOT_START, may_start
from runners.models import Run, Schedule, Series
from runners.schedules import creation
from submissions.api.number_fields import AmountField, OrdinalField

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LATEST = 3  # turns of a schedule


class ScheduleForm(forms.Form):
    kind = forms.ChoiceField(label="Repeat", choices=(("run", "the plan of run"), ("series", "series")))
    number = OrdinalField(label="Number", min_value=1, max_value=2**31 - 1)
    every = forms.ChoiceField(label="Every", choices=Every.pairs)
    weekday = forms.TypedChoiceField(label="On (every week)", coerce=int, choices=list(enumerate(_WEEKDAYS)))
    hour = OrdinalField(label="At the hour (UTC)", min_value=0, max_value=23, initial=2)
    max_usd_month = AmountField(
        unit="USD/month", label="Budget a month (USD)", min_value=0, max_digits=12, decimal_places=4, initial=0
    )

    def content(self, request: HttpRequest) -> dict[str, Any]:
        """The body of POST schedules/, of a valid form. Raises Http404."""
        values = self.cleaned_data
        week = {"weekday": values["weekday"]} if values["every"] == Every.WEEK else {}
        return {
            **_repeated(request, values["kind"], values["number"]),
            "every": values["every"],
            "hour": values["hour"],
            "max_usd_month": str(values["max_usd_month"]),
            **week,
        }


def _repeated(request: HttpRequest, kind: str, number: int) -> dict[str, Any]:
    """What is there already, as an order; its results are for the same readers."""
    if kind == "run":
        run = get_object_or_404(Run.objects.visible_to(request.user), pk=number)
        return {"plan": {**run.plan, "visibility": run.visibility}, "title": run.title[:300]}
    series = get_object_or_404(Series.objects.visible_to(request.user), pk=number)
    vary = [
        {"fields": each["fields"], "values": [row if len(row) > 1 else row[0] for row in each["values"]]}
        for each in series.vary
    ]
    order = {name: getattr(series, name) for name in ("plan", "repetitions", "order", "max_minutes", "visibility")}
    return {"series": {**order, "max_usd": str(series.max_usd), "vary": vary}, "title": series.title}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def schedules(request: HttpRequest) -> HttpResponse:
    """The list, and the form that makes one."""
    form, faults = ScheduleForm(initial=_initial(request)), list[Fault]()
    if request.method == "POST":
        if not isinstance(request.user, User) or not may_start(request.user):
            raise PermissionDenied(MAY_NOT_START)
        form = ScheduleForm(request.POST)
        if form.is_valid():
            try:
                creation.create(form.content(request), request.user)
                messages.success(request, "The schedule is set.")
                return redirect("runners:schedules")
            except Http404:
                form.add_error("number", f"There is no such {form.cleaned_data['kind']}.")
            except Refusal as error:
                faults = list(error.faults)
    rows = Schedule.objects.filter(owner=request.user.pk).prefetch_related("turns")
    context = {
        "form": form,
        "faults": faults,
        "rows": [(row, _when(row), list(row.turns.all())[:_LATEST]) for row in rows],
        "may_start": may_start(request.user),
    }
    return render(request, "runners/series/schedules.html", context, status=400 if form.errors or faults else 200)


def _initial(request: HttpRequest) -> dict[str, Any]:
    for kind in ("run", "series"):
        if kind in request.GET:
            return {"kind": kind, "number": request.GET[kind][:10], "hour": 2, "max_usd_month": 0}
    return {}


def _when(schedule: Schedule) -> str:
    """ "every Monday at 02:00 UTC"."""
    day = "day" if schedule.weekday is None else _WEEKDAYS[schedule.weekday]
    return f"every {day} at {schedule.hour:02d}:00 UTC"


@login_required
@require_POST
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Pauses, resumes or deletes it."""
    schedule = get_object_or_404(Schedule, pk=pk, owner=request.user.pk)
    what = request.POST.get("what")
    if what == "pause":
        creation.pause(schedule)
    elif what == "resume":
        if not may_start(request.user):
            raise PermissionDenied(MAY_NOT_START)
        creation.resume(schedule)
    elif what == "delete":
        schedule.delete()
    return redirect("runners:schedules")
