"""Why this site cannot run a plan, as far as it is known without asking a cloud."""

from django.conf import settings

from benchsite.http.refusals import Fault
from runners.distributions import java
from runners.load_tools import UnsupportedWorkload, for_plan
from runners.load_tools.base import Workload
from runners.plan_schema.load_plan import FEWEST_STEPS
from runners.plan_schema.run_plan import MAX_DURATION_MINUTES, RunPlan
from runners.providers.registry import offered, provider_for, traits_of

MAX_TRIALS = 100  # of a run with several loads


def faults_of(plan: RunPlan) -> list[Fault]:
    """Every fault of the plan on this site."""
    if plan.provider not in offered():
        return [Fault("#/provider", f"is not offered on this site; choose from: {', '.join(offered()) or 'none'}")]
    is_this_machine = traits_of(plan.provider).is_this_machine
    faults = [*_of_load(plan), *_of_duration(plan), *(_of_this_machine(plan) if is_this_machine else _in_cloud(plan))]
    try:
        workload = for_plan(plan.heaviest)
    except UnsupportedWorkload as error:
        # without clients in a cloud, the workload was checked as one for a single machine
        if plan.client is not None or is_this_machine:
            faults.insert(0, Fault("#/workload/tool", str(error)))
        return faults
    return faults if is_this_machine else faults + _of_java(plan, workload)


def longest_minutes(provider: str) -> int:
    """Of a run there, until its deadline."""
    is_this_machine = traits_of(provider).is_this_machine
    return min(settings.MAX_LOCAL_MINUTES, MAX_DURATION_MINUTES) if is_this_machine else MAX_DURATION_MINUTES


def _of_duration(plan: RunPlan) -> list[Fault]:
    longest = longest_minutes(plan.provider)
    if plan.max_duration_minutes <= longest:
        return []
    where = " on this machine" if traits_of(plan.provider).is_this_machine else ""
    return [Fault("#/max_duration_minutes", f"must be at most {longest}{where}")]


def _of_load(plan: RunPlan) -> list[Fault]:
    """What contradicts a list of loads, or a search."""
    if plan.load is None:
        return []
    faults = []
    if plan.workload.fixed_rate_ops_s is not None:
        faults.append(Fault("#/workload/fixed_rate_ops_s", "contradicts load, which sets the rate of each step"))
    if plan.workload.operations is not None:
        reason = "contradicts load, whose steps have a duration: state duration_seconds instead"
        faults.append(Fault("#/workload/operations", reason))
    if plan.cpu_profile:
        faults.append(Fault("#/cpu_profile", "is only for a run with one load: leave out load, or the profile"))
    if plan.load.slo is not None and plan.load.max_steps < plan.trials + FEWEST_STEPS:
        least = plan.trials + FEWEST_STEPS
        faults.append(Fault("#/load/max_steps", f"must be at least {least}: {plan.trials} of them confirm the rate"))
    if plan.most_trials > MAX_TRIALS:
        faults.append(Fault("#/load/steps", f"make {plan.most_trials} trials; a run has at most {MAX_TRIALS}"))
    return faults


def _of_this_machine(plan: RunPlan) -> list[Fault]:
    faults = []
    if plan.client is not None:
        faults.append(Fault("#/client", "must be omitted: the load tool runs on the same machine as the database"))
    return faults + _missing_here(plan)


def _in_cloud(plan: RunPlan) -> list[Fault]:
    faults = []
    if plan.client is None:
        faults.append(Fault("#/client", "is required: load from the database nodes themselves skews the result"))
    if plan.region is None:
        return [*faults, Fault("#/region", "is required")]
    return faults + [
        Fault(f"#/zones/{index}", f"{zone} is not a zone of {plan.region}")
        for index, zone in enumerate(plan.zones)
        if not zone.startswith(plan.region)
    ]


def _of_java(plan: RunPlan, workload: Workload) -> list[Fault]:
    """The release of Java that the hosts would not find: it must not be noticed after every machine is paid."""
    traits = traits_of(plan.provider)
    release, image = workload.java_release(plan), traits.image()
    there = java.releases_in(image)
    if release is None or there is None or release in there:
        return []
    place = "#/jdk/version" if plan.jdk and plan.jdk.version else "#/service/version"
    has = ", ".join(map(str, sorted(there)))
    others = " or ".join(java.images_with(release)) or "an image of your own"
    reason = (
        f"needs Java {release}, and the machines' image {image} has only Java {has}: choose another version, "
        f"or ask a site operator to set {traits.image_setting} to {others}"
    )
    return [Fault(place, reason)]


def _missing_here(plan: RunPlan) -> list[Fault]:
    """What this machine lacks for the plan's database and load tool."""
    provider = provider_for(plan.provider)
    services = provider.abilities.services
    missing = provider.lacks(plan.service.name, plan.service.version)
    if services and plan.service.name not in services:
        supported = f"this machine runs {', '.join(services)}"
        return [Fault("#/service/name", f"{supported}: {missing}" if missing else supported)]
    lacking = [("#/service/version", missing), ("#/workload/tool", provider.lacks_tool(plan.workload.tool))]
    return [Fault(place, reason) for place, reason in lacking if reason]
