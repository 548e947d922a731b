"""A plan together with what is not part of the measurement: who is notified of its end, who may see its result."""

from collections.abc import Mapping
from typing import Annotated, Any

from django.contrib.auth.models import User
from pydantic import BaseModel, Field, ValidationError, field_validator

from benchsite.http.refusals import Refusal
from benchsite.notifications import webhook
from benchsite.notifications.addresses import verified_address
from runners.plan_schema.run_plan import RunPlan
from submissions.ingest.document.faults import refusal
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.submission import Publication


class Notify(StrictModel):
    """When the run ends: an email to the owner's verified address, a POST to `url`, both or neither."""

    email: Annotated[bool, Field(strict=True)] = False
    url: Annotated[str, Field(max_length=500)] = ""

    @field_validator("url")
    @classmethod
    def _may_be_called(cls, url: str) -> str:
        if url and (fault := webhook.fault_of(url)):
            raise ValueError(fault)
        return url


class RunOrder(RunPlan, Publication):
    """The body of POST /api/v1/runs/: the plan, who is notified of the end, and who may see run and result."""

    notify: Notify | None = None


class _Notified(BaseModel):
    notify: Notify | None = None


def publication_of(order: Mapping[str, Any] | None) -> Publication:
    """The validated `visibility` and `embargo_until` of an order. Raises Refusal."""
    try:
        return Publication.model_validate(order or {})
    except ValidationError as error:
        raise refusal(error) from error


def notification_of(notify: Mapping[str, Any] | None, owner: User) -> Notify:
    """The validated `notify` of an order. Raises Refusal."""
    try:
        notification = _Notified.model_validate({"notify": notify}).notify or Notify()
    except ValidationError as error:
        raise refusal(error) from error
    if notification.email and verified_address(owner) is None:
        raise Refusal.at("#/notify/email", "your account has no verified email address")
    return notification
