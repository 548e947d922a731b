"""From a form or a request to a queued run: validated, estimated, confirmed; nothing exists in a cloud yet."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from pydantic import ValidationError

from benchsite.http.refusals import Fault, NotPermitted, Refusal, together
from runners import lifecycle
from runners.accounts.cloud_accounts import account_of, was_removed
from runners.choices import RunStatus
from runners.limits import budget, queue
from runners.load_tools import for_plan
from runners.models import CloudAccess, Run
from runners.plan_schema.run_plan import NEW, RunPlan, as_json
from runners.plans import survey
from runners.plans.estimate import Estimate, estimate
from runners.plans.faults import faults_of
from runners.plans.order import Notify, notification_of, publication_of
from runners.plans.pricing import ceilings, groups_of, traffic_rate
from runners.providers.registry import provider_for, traits_of
from submissions.ingest.document.faults import refusal
from submissions.ingest.document.submission import Publication
from submissions.ingest.secrets.facts import mask_facts, masked_places

TAG_PREFIX = "benchsite-run"
SURVEY_LIFE = timedelta(minutes=10)  # of what the cloud said of a plan; then it is asked again
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
        plan = RunPlan.model_validate(content, context=NEW)
    except ValidationError as error:
        raise refusal(error) from error
    if faults := faults_of(plan):
        raise Refusal(faults)
    return plan


def judged(
    content: Mapping[str, Any],
    owner: User,
    notify: Mapping[str, Any] | None = None,
    publication: Mapping[str, Any] | None = None,
) -> tuple[RunPlan, Notify, Publication]:
    """All that is validated without a cloud. Raises Refusal with every fault of the plan and of what is beside it."""
    judges = partial(validated, content), partial(notification_of, notify, owner), partial(publication_of, publication)
    plan, notification, shown_to = together(*judges)
    return plan, notification, shown_to


def refuse_strangers(plan: RunPlan, owner: User) -> None:
    """Raises NotPermitted where the owner may not run there."""
    if not may_run_on(plan.provider, owner):
        raise NotPermitted.at("#/provider", NOT_ON_THIS_MACHINE)


def title_of(plan: RunPlan) -> str:
    """The title of the plan, or the plan in a few words."""
    return Run(plan=as_json(plan)).title


def _refuse_secrets(content: Mapping[str, Any]) -> None:
    """A plan is public and runs as it is: one with a secret can neither be shown nor run masked."""
    places = set(masked_places(mask_facts(content))) - set(masked_places(content))
    if places:
        reason = "contains a password or a key, and plans are public: remove it"
        raise Refusal([Fault(place, reason) for place in sorted(places)])


def estimate_of(plan: RunPlan, on: date | None = None, *, has_machines: bool = False) -> Estimate:
    """The cost of the plan at the prices of a day, by default today; `has_machines`: another run's, taken over."""
    day = on or timezone.now().date()
    groups = groups_of(plan, on=day)
    prices = ceilings(plan, groups), traffic_rate(plan, on=day)
    return estimate(plan, for_plan(plan), groups, *prices, on=day, has_machines=has_machines)


class QueueFull(Refusal):
    """The user has too many runs in the queue: it may be confirmed later."""


@dataclass(frozen=True, slots=True)
class Order:
    """What becomes a run: everything checked, the cloud asked, nothing stored."""

    plan: RunPlan
    owner: User
    access: CloudAccess | None
    cost: Estimate
    notification: Notify
    publication: Publication

    def store(self) -> Run:
        worst = self.cost.worst.usd
        return Run.objects.create(
            owner=self.owner,
            provider=self.plan.provider,
            cloud_access=self.access,
            notify_email=self.notification.email,
            notify_url=self.notification.url,
            visibility=self.publication.visibility.value,
            embargo_until=self.publication.embargo_until,
            plan=as_json(self.plan),
            estimate=self.cost.as_json(),
            max_usd=self.plan.max_usd,
            worst_case_usd=None if worst is None else worst.quantize(Decimal("0.0001")),
            tag=f"{TAG_PREFIX}-{get_random_string(12, 'abcdefghijkmnpqrstuvwxyz23456789')}",
        )


def order_of(
    content: Mapping[str, Any],
    owner: User,
    notify: Mapping[str, Any] | None = None,
    publication: Mapping[str, Any] | None = None,
    *,
    has_machines: bool = False,
) -> Order:
    """What `create_run` stores. It asks the cloud: no transaction should wait for that. Raises Refusal.

    `has_machines`: those of another run wait for it, so that there is nothing to ask.
    """
    plan, notification, shown_to = judged(content, owner, notify, publication)
    refuse_strangers(plan, owner)
    access = account_of(owner, plan.provider)
    answer = survey.Answer([]) if has_machines else survey.check(plan, access)
    cost = replace(estimate_of(plan), obstacle=answer.obstacle).with_warnings(answer.notes)
    return Order(plan, owner, access, cost, notification, shown_to)


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
    return order_of(content, owner, notify, publication).store()


def obstacle_of(run: Run) -> str:
    """Why a planned run could only fail: asked again where it was so when the run was planned. May raise Refusal."""
    return survey.check(RunPlan.model_validate(run.plan), run.cloud_access).obstacle if _had_obstacle(run) else ""


def refuse_obstacle(obstacle: str) -> None:
    if obstacle:
        raise Refusal.at("#/provider", obstacle)


def _had_obstacle(run: Run) -> bool:
    return bool((run.estimate or {}).get("obstacle"))


def confirm(run: Run) -> None:
    """Queue a planned run. Raises Refusal when the budget or the cloud does not allow it; then nothing has changed."""
    if was_removed(run):
        raise Refusal.at("#/provider", "the cloud account of this plan was removed: plan the run again")
    if not may_run_on(run.provider, run.owner):
        raise NotPermitted.at("#/provider", NOT_ON_THIS_MACHINE)
    over_budget = budget.refusal(run)
    if over_budget:
        raise Refusal.at("#/max_usd", over_budget)
    is_outdated = timezone.now() - run.created_at > SURVEY_LIFE
    if is_outdated or _had_obstacle(run):
        refuse_obstacle(survey.check(RunPlan.model_validate(run.plan), run.cloud_access).obstacle)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=run.owner_id)  # two requests must not both take the last place
        if too_many := queue.refusal(run):
            raise QueueFull.at("#", too_many)
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
    order = order_of(content, owner, notify, publication)
    refuse_obstacle(order.cost.obstacle)
    with transaction.atomic():
        run = order.store()
        confirm(run)
    return run
