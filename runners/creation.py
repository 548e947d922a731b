"""From a form or a request to a queued run: checked, estimated, confirmed; nothing exists in a cloud yet."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from pydantic import ValidationError

from benchsite.refusals import Fault, Refusal
from runners import budget, lifecycle
from runners.accounts import cloud_accounts
from runners.choices import RunStatus
from runners.load_tools import UnknownWorkload, for_plan
from runners.models import Run
from runners.plan import RunPlan, as_json
from runners.plans.estimate import Estimate, estimate
from runners.plans.order import notify_of
from runners.plans.pricing import groups_of, traffic_rate
from runners.providers.registry import offered, provider_for, traits_of
from submissions.ingest.document.faults import refusal
from submissions.models import InstanceType, Price

TAG_PREFIX = "benchsite-run"


def may_start(user: User | AnonymousUser) -> bool:
    """Whether the account may start runs: on a site of one machine everybody signed in, else by permission."""
    if not user.is_authenticated:
        return False
    return not settings.RUNS_NEED_PERMISSION or user.has_perm("runners.add_run")


def may_see_all(run: Run, user: User | AnonymousUser) -> bool:
    """Logs, machines and cancelling are the owner's and the operators' alone."""
    return user.is_authenticated and (run.owner_id == user.pk or user.is_superuser)


def checked(content: Mapping[str, Any]) -> RunPlan:
    """The plan in `content`; Refusal names every fault, those of this site's offer too."""
    try:
        plan = RunPlan.model_validate(content)
    except ValidationError as error:
        raise refusal(error) from error
    faults = _faults_of_offer(plan)
    if faults:
        raise Refusal(faults)
    return plan


def _faults_of_offer(plan: RunPlan) -> list[Fault]:
    faults = []
    if plan.provider not in offered():
        return [Fault("#/provider", f"this site runs on {', '.join(offered()) or 'nothing'}")]
    is_this_machine = traits_of(plan.provider).is_this_machine
    try:
        for_plan(plan)
    except UnknownWorkload as error:
        if plan.client is not None or is_this_machine:  # else the refusal is of a plan for one machine
            faults.append(Fault("#/workload/tool", str(error)))
    if is_this_machine:
        if plan.client is not None:
            faults.append(Fault("#/client", "this machine is its own client: leave it out"))
        return faults + _missing_here(plan)
    if plan.client is None:
        faults.append(Fault("#/client", "is required: load from the database's own nodes skews the result"))
    if plan.region is None:
        faults.append(Fault("#/region", "is required"))
        return faults
    faults += [
        Fault(f"#/zones/{index}", f"{zone} is no zone of {plan.region}")
        for index, zone in enumerate(plan.zones)
        if not zone.startswith(plan.region)
    ]
    return faults + _unknown_types(plan)


def _missing_here(plan: RunPlan) -> list[Fault]:
    """What this machine would need for the plan's service."""
    provider = provider_for(plan.provider)
    services = provider.abilities.services
    missing = provider.lacks(plan.service.name, plan.service.version)
    if services and plan.service.name not in services:
        runs = f"this machine runs {', '.join(services)}"
        return [Fault("#/service/name", f"{runs}: {missing}" if missing else runs)]
    return [Fault("#/service/version", missing)] if missing else []


def _unknown_types(plan: RunPlan) -> list[Fault]:
    """Types that neither the price book nor the list of types knows: a typing error costs no launch."""
    wanted = {"#/database/instance_type": plan.database.instance_type}
    if plan.client:
        wanted["#/client/instance_type"] = plan.client.instance_type
    names = set(wanted.values())
    known = set(InstanceType.objects.filter(provider=plan.provider, name__in=names).values_list("name", flat=True))
    known |= set(Price.objects.filter(provider=plan.provider, sku__in=names).values_list("sku", flat=True))
    return [
        Fault(pointer, f"{name} is no instance type of {plan.provider} that we know")
        for pointer, name in wanted.items()
        if name not in known
    ]


def estimated(plan: RunPlan, on: date | None = None) -> Estimate:
    """What the plan costs at the prices of a day, today by default."""
    day = on or timezone.now().date()
    return estimate(plan, for_plan(plan), groups_of(plan, on=day), traffic_rate(plan, on=day), on=day)


def place(content: Mapping[str, Any], owner: User, notify: Mapping[str, Any] | None = None) -> Run:
    """A planned run with its frozen estimate; it waits for `confirm`. Refusal says what is wrong.

    Its machines run in the own cloud account of the owner where there is one. `notify` (runners/plans/order.py)
    is no part of the plan.
    """
    plan = checked(content)
    told = notify_of(notify, owner)
    cost = estimated(plan)
    return Run.objects.create(
        owner=owner,
        provider=plan.provider,
        cloud_access=cloud_accounts.account_of(owner, plan.provider),
        notify_email=told.email,
        notify_url=told.url,
        plan=as_json(plan),
        estimate=cost.as_json(),
        max_usd=plan.max_usd,
        worst_case_usd=None if cost.worst.usd is None else cost.worst.usd.quantize(Decimal("0.0001")),
        tag=f"{TAG_PREFIX}-{get_random_string(12, 'abcdefghijkmnpqrstuvwxyz23456789')}",
    )


def confirm(run: Run) -> None:
    """Queue a planned run. Refusal when the money does not allow it; then nothing has changed."""
    if cloud_accounts.is_given_up(run):
        raise Refusal.at("#/provider", "the account that it was planned for was removed: plan it anew")
    why_not = budget.refusal(run)
    if why_not:
        raise Refusal.at("#/max_usd", why_not)
    with transaction.atomic():
        lifecycle.advance(run, RunStatus.QUEUED, confirmed_at=timezone.now())


def place_and_confirm(content: Mapping[str, Any], owner: User, notify: Mapping[str, Any] | None = None) -> Run:
    """Both at once, or nothing: for a caller whose `max_usd` is the confirmation."""
    with transaction.atomic():
        run = place(content, owner, notify)
        confirm(run)
    return run
