"""From a request to a schedule: its plan or series is validated as if it started now."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import Field, ValidationError, model_validator

from benchsite.http.refusals import Fault, RateExceeded, Refusal
from runners import clock, creation
from runners.choices import Every
from runners.models import Schedule
from runners.plan_schema.run_plan import MAX_RUN_USD
from runners.schedules.calendar import next_turn
from runners.series import creation as series_creation
from submissions.ingest.document.faults import refusal
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.submission import Publication
from submissions.ingest.document.types import NUMBER, STRING, Line

MOST_SCHEDULES = 10  # of a user


class ScheduleOrder(StrictModel):
    """The body of POST /api/v1/schedules/: either `plan` (as for runs/) or `series` (as for series/)."""

    title: Line = ""
    plan: dict[str, Any] | None = Field(None, description="The body of POST runs/")
    series: dict[str, Any] | None = Field(None, description="The body of POST series/")
    every: Annotated[Every, STRING]
    hour: Annotated[int, NUMBER, Field(ge=0, le=23, strict=True)] = Field(2, description="UTC")
    weekday: Annotated[int, NUMBER, Field(ge=0, le=6, strict=True)] | None = Field(
        None, description="With every week: 0 is Monday, the default"
    )
    max_usd_month: Annotated[Decimal, Field(ge=0, le=MAX_RUN_USD, max_digits=12, decimal_places=4)]

    @model_validator(mode="after")
    def _is_complete(self) -> "ScheduleOrder":
        if (self.plan is None) == (self.series is None):
            raise ValueError("needs either plan or series")
        if self.weekday is not None and self.every != Every.WEEK:
            raise ValueError("a weekday belongs to a schedule for every week")
        return self


def parts_of(content: Mapping[str, Any]) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """(the plan, `notify`, who may see the result) of the body of POST runs/."""
    plan = dict(content)
    notify = plan.pop("notify", None)
    return plan, notify, {name: plan.pop(name) for name in Publication.model_fields if name in plan}


def create(content: Mapping[str, Any], owner: User) -> Schedule:
    """A schedule whose first turn is the next one. Raises Refusal; then nothing is stored."""
    try:
        order = ScheduleOrder.model_validate(content)
    except ValidationError as error:
        raise refusal(error) from error
    title, cap, series = _checked(order, owner)
    if cap > order.max_usd_month:
        raise Refusal.at("#/max_usd_month", f"a single turn may cost {cap:.2f} USD")
    now = clock.now()
    weekday = (order.weekday or 0) if order.every == Every.WEEK else None
    with transaction.atomic():
        User.objects.select_for_update().get(pk=owner.pk)
        if Schedule.objects.filter(owner=owner).count() >= MOST_SCHEDULES:
            raise RateExceeded.at("#", f"you have {MOST_SCHEDULES} schedules: delete one first")
        return Schedule.objects.create(
            owner=owner,
            title=(order.title or title)[:300],
            plan=order.plan,
            order=series,
            every=order.every.value,
            hour=order.hour,
            weekday=weekday,
            max_usd_month=order.max_usd_month,
            due_at=next_turn(order.every, order.hour, weekday, now),
        )


def _checked(order: ScheduleOrder, owner: User) -> tuple[str, Decimal, dict[str, Any] | None]:
    """(title, what a turn may cost, the series to order). Raises Refusal, at its place in the request."""
    name = "plan" if order.series is None else "series"
    try:
        if order.series is not None:
            prepared = series_creation.prepare(order.series, owner)
            return prepared.title, prepared.order.max_usd, {**order.series, "plan": prepared.plan}
        content, notify, publication = parts_of(order.plan or {})
        plan, _, _ = creation.judged(content, owner, notify, publication)
        creation.refuse_strangers(plan, owner)
        return creation.title_of(plan), plan.max_usd, None
    except Refusal as error:
        faults = [Fault(f"#/{name}{fault.pointer.removeprefix('#')}", fault.detail) for fault in error.faults]
        raise type(error)(faults) from error


def pause(schedule: Schedule) -> None:
    """By its owner."""
    Schedule.objects.filter(pk=schedule.pk, paused_at=None).update(paused_at=clock.now(), paused_because="")


def resume(schedule: Schedule) -> None:
    """Its next turn is the next one from now on; what was missed meanwhile is not made up for."""
    turn = next_turn(schedule.every, schedule.hour, schedule.weekday, clock.now())
    paused = Schedule.objects.filter(pk=schedule.pk, paused_at__isnull=False)
    paused.update(paused_at=None, paused_because="", failures=0, due_at=turn)
