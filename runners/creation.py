"""From a form or a request to a queued run: validated, estimated, confirmed; nothing exists in a cloud yet."""

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

from benchsite.refusals import Fault, NotPermitted, Refusal
from runners import budget, lifecycle, queue
from runners.accounts.cloud_accounts import account_of, was_removed
from runners.choices import RunStatus
from runners.load_tools import UnsupportedWorkload, for_plan
from runners.models import Run
from runners.plan import RunPlan, as_json
from runners.plans.estimate import Estimate, estimate
from runners.plans.order import notification_of, publication_of
from runners.plans.pricing import groups_of, traffic_rate
from runners.providers.registry import offered, provider_for, traits_of
from submissions.ingest.document.faults import refusal
from submissions.ingest.secrets.facts import mask_facts, masked_places
from submissions.models import InstanceType, Price

TAG_PREFIX = "benchsite-run"
MAY_NOT_START = "Your account may not start runs on this site. Ask a site operator for permission."
MAY_NOT_CANCEL = "Only its owner and the site operators may cancel a run."
MAY_NOT_SUBMIT_AGAIN = "Only the owner of a run and the site operators may submit its outputs again."
NOTHING_TO_SUBMIT = "the run is still open, has a result already, or has no stored output of a trial"
NOT_ON_THIS_MACHINE = (
    "Runs on this machine are for staff only: the site was not started by root, "
    "so a run could read everything that the site can read."
)


def may_start(user: User | AnonymousUser) -> bool:
    """Whether the user may start runs: with the permission, or anyone signed in on a site that does not require it."""
    if not user.is_authenticated:
        return False
    return not settings.RUNS_NEED_PERMISSION or user.has_perm("runners.add_run")


def may_run_on(provider: str, user: User | AnonymousUser) -> bool:
    """Whether the user may run something there: where runs are not kept apart from the site, only staff may."""
    return not traits_of(provider).is_this_machine or user.is_staff or provider_for(provider).abilities.is_kept_apart


def may_cancel(run: Run, user: User | AnonymousUser) -> bool:
    """Whether the user may cancel the run: its owner, and staff with the permission to change runs."""
    return user.is_authenticated and (run.owner_id == user.pk or user.has_perm("runners.change_run"))


def may_submit_again(run: Run, user: User | AnonymousUser) -> bool:
    """Whether the user may submit the kept outputs of the run, and it has any: who may cancel it."""
    return may_cancel(run, user) and run.can_submit_again


def may_see_details(run: Run, user: User | AnonymousUser) -> bool:
    """Whether the user may see logs, machines and history: who may cancel it, and staff who may view runs."""
    return may_cancel(run, user) or (user.is_authenticated and user.has_perm("runners.view_run"))


def validated(content: Mapping[str, Any]) -> RunPlan:
    """The plan in `content`. Raises Refusal with every fault, including what this site does not offer."""
    _refuse_secrets(content)
    try:
        plan = RunPlan.model_validate(content)
    except ValidationError as error:
        raise refusal(error) from error
    faults = _faults_on_this_site(plan)
    if faults:
        raise Refusal(faults)
    return plan


def _refuse_secrets(content: Mapping[str, Any]) -> None:
    """A plan is public and runs as it is: one with a secret can neither be shown nor run masked."""
    places = set(masked_places(mask_facts(content))) - set(masked_places(content))
    if places:
        reason = "contains a password or a key, and plans are public: remove it"
        raise Refusal([Fault(place, reason) for place in sorted(places)])


def _faults_on_this_site(plan: RunPlan) -> list[Fault]:
    if plan.provider not in offered():
        return [Fault("#/provider", f"is not offered on this site; choose from: {', '.join(offered()) or 'none'}")]
    faults = []
    is_this_machine = traits_of(plan.provider).is_this_machine
    try:
        for_plan(plan)
    except UnsupportedWorkload as error:
        # without clients in a cloud, the workload was checked as one for a single machine
        if plan.client is not None or is_this_machine:
            faults.append(Fault("#/workload/tool", str(error)))
    return faults + (_faults_here(plan) if is_this_machine else _faults_in_cloud(plan))


def _faults_here(plan: RunPlan) -> list[Fault]:
    faults = []
    if plan.client is not None:
        faults.append(Fault("#/client", "must be omitted: the load tool runs on the same machine as the database"))
    if plan.max_duration_minutes > settings.MAX_LOCAL_MINUTES:
        faults.append(Fault("#/max_duration_minutes", f"may be at most {settings.MAX_LOCAL_MINUTES} on this machine"))
    return faults + _missing_here(plan)


def _faults_in_cloud(plan: RunPlan) -> list[Fault]:
    faults = []
    if plan.client is None:
        faults.append(Fault("#/client", "is required: load from the database nodes themselves skews the result"))
    if plan.region is None:
        faults.append(Fault("#/region", "is required"))
        return faults
    faults += [
        Fault(f"#/zones/{index}", f"{zone} is not a zone of {plan.region}")
        for index, zone in enumerate(plan.zones)
        if not zone.startswith(plan.region)
    ]
    return faults + _unknown_types(plan)


def _missing_here(plan: RunPlan) -> list[Fault]:
    """What this machine lacks for the plan's database."""
    provider = provider_for(plan.provider)
    services = provider.abilities.services
    missing = provider.lacks(plan.service.name, plan.service.version)
    if services and plan.service.name not in services:
        supported = f"this machine runs {', '.join(services)}"
        return [Fault("#/service/name", f"{supported}: {missing}" if missing else supported)]
    return [Fault("#/service/version", missing)] if missing else []


def _unknown_types(plan: RunPlan) -> list[Fault]:
    """Types that neither the price book nor the list of types has: a typing error must not cost a launch."""
    requested = {"#/database/instance_type": plan.database.instance_type}
    if plan.client:
        requested["#/client/instance_type"] = plan.client.instance_type
    names = set(requested.values())
    known = set(InstanceType.objects.filter(provider=plan.provider, name__in=names).values_list("name", flat=True))
    known |= set(Price.objects.filter(provider=plan.provider, sku__in=names).values_list("sku", flat=True))
    return [
        Fault(pointer, f"{name} is not a known instance type of {plan.provider}")
        for pointer, name in requested.items()
        if name not in known
    ]


def estimate_of(plan: RunPlan, on: date | None = None) -> Estimate:
    """The cost of the plan at the prices of a day, by default today."""
    day = on or timezone.now().date()
    return estimate(plan, for_plan(plan), groups_of(plan, on=day), traffic_rate(plan, on=day), on=day)


def create_run(
    content: Mapping[str, Any],
    owner: User,
    notify: Mapping[str, Any] | None = None,
    publication: Mapping[str, Any] | None = None,
) -> Run:
    """A planned run with its frozen estimate, waiting for `confirm`. Raises Refusal.

    It will run in the owner's own cloud account if the owner has one for the provider. `notify`
    and `publication` (runners/plans/order.py) are not part of the plan.
    """
    plan = validated(content)
    if not may_run_on(plan.provider, owner):
        raise NotPermitted.at("#/provider", NOT_ON_THIS_MACHINE)
    notification, shown_to = notification_of(notify, owner), publication_of(publication)
    cost = estimate_of(plan)
    return Run.objects.create(
        owner=owner,
        provider=plan.provider,
        cloud_access=account_of(owner, plan.provider),
        notify_email=notification.email,
        notify_url=notification.url,
        visibility=shown_to.visibility.value,
        embargo_until=shown_to.embargo_until,
        plan=as_json(plan),
        estimate=cost.as_json(),
        max_usd=plan.max_usd,
        worst_case_usd=None if cost.worst.usd is None else cost.worst.usd.quantize(Decimal("0.0001")),
        tag=f"{TAG_PREFIX}-{get_random_string(12, 'abcdefghijkmnpqrstuvwxyz23456789')}",
    )


def confirm(run: Run) -> None:
    """Queue a planned run. Raises Refusal when the budget does not allow it; then nothing has changed."""
    if was_removed(run):
        raise Refusal.at("#/provider", "the cloud account of this plan was removed: plan the run again")
    if not may_run_on(run.provider, run.owner):
        raise NotPermitted.at("#/provider", NOT_ON_THIS_MACHINE)
    over_budget = budget.refusal(run)
    if over_budget:
        raise Refusal.at("#/max_usd", over_budget)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=run.owner_id)  # two requests must not both take the last place
        if too_many := queue.refusal(run):
            raise Refusal.at("#", too_many)
        try:
            lifecycle.advance(run, RunStatus.QUEUED, confirmed_at=timezone.now())
        except lifecycle.LostRace as error:
            raise Refusal.at("#", "the run was confirmed or cancelled meanwhile") from error


def create_and_confirm(
    content: Mapping[str, Any],
    owner: User,
    notify: Mapping[str, Any] | None = None,
    publication: Mapping[str, Any] | None = None,
) -> Run:
    """Both or neither: for a caller whose `max_usd` is the confirmation."""
    with transaction.atomic():
        run = create_run(content, owner, notify, publication)
        confirm(run)
    return run
