"""What the cloud itself says of a plan before it is confirmed: types, disks, zones, network, quotas."""

from collections.abc import Mapping
from typing import NamedTuple

from benchsite.http.refusals import Fault, Refusal
from runners.cluster import nodes_of
from runners.models import CloudAccess, Run
from runners.plan_schema.run_plan import RunPlan
from runners.providers.base import Hardware, NoCredentials, ProviderError, Survey
from runners.providers.registry import UnknownProvider, provider_for
from submissions.formatting.names import provider_name
from submissions.models import InstanceType, Price


class Answer(NamedTuple):
    """What the owner should know, and why the run could only fail until the site's operators change something."""

    notes: list[str]
    obstacle: str = ""


def check(plan: RunPlan, access: CloudAccess | None) -> Answer:
    """Ask the cloud, in the account in which the run would be; returns what the owner should know.

    Raises Refusal when the run would fail. A type that the catalogue does not know is one that the cloud confirms.
    """
    if plan.region is None:
        return Answer([])
    unknown = _unknown_types(plan)
    try:
        provider = provider_for(plan.provider, Run(provider=plan.provider, cloud_access=access))
        found = provider.survey(nodes_of(plan), region=plan.region, spot=plan.is_spot)
    except UnknownProvider as error:  # no longer offered since the run was planned
        raise Refusal.at("#/provider", str(error)) from error
    except NoCredentials as error:
        return Answer([], str(error))
    except ProviderError as error:
        return Answer(_without_answer(plan, unknown, error))
    faults = [Fault(remark.pointer, remark.text) for remark in found.remarks if remark.is_fault]
    faults += [
        Fault(pointer, f"{name} is not a known instance type of {provider_name(plan.provider)}")
        for pointer, name in unknown.items()
        if name not in found.types and not any(fault.pointer == pointer for fault in faults)
    ]
    if faults:
        raise Refusal(faults)
    new = {name: found.types[name] for name in unknown.values()}
    _remember(plan.provider, new)
    return Answer([*(_of_new(name, hardware) for name, hardware in new.items()), *_notes(found)])


def _unknown_types(plan: RunPlan) -> dict[str, str]:
    """The types that neither the price book nor the catalogue has, by their place in the plan."""
    ordered = {"#/database/instance_type": plan.database.instance_type}
    if plan.client:
        ordered["#/client/instance_type"] = plan.client.instance_type
    names = set(ordered.values())
    known = set(InstanceType.objects.filter(provider=plan.provider, name__in=names).values_list("name", flat=True))
    known |= set(Price.objects.filter(provider=plan.provider, sku__in=names).values_list("sku", flat=True))
    return {pointer: name for pointer, name in ordered.items() if name not in known}


def _without_answer(plan: RunPlan, unknown: Mapping[str, str], error: ProviderError) -> list[str]:
    """The launch will ask again; but a typing error must not cost one."""
    cloud = provider_name(plan.provider)
    if unknown:
        text = f"is not in the catalogue, and {cloud} did not confirm it: {error}"
        raise Refusal([Fault(pointer, f"{name} {text}") for pointer, name in unknown.items()]) from error
    return [f"{cloud} could not be asked about this plan: {error}"]


def _remember(provider: str, types: Mapping[str, Hardware]) -> None:
    for name, hardware in types.items():
        InstanceType.objects.get_or_create(
            provider=provider,
            name=name,
            defaults={
                "vcpus": hardware.vcpus,
                "memory_gib": hardware.memory_gib,
                "local_disk_gib": hardware.local_disk_gib,
                "source": f"the API of {provider_name(provider)}",
            },
        )


def _of_new(name: str, hardware: Hardware) -> str:
    size = f"{hardware.vcpus} vCPUs, {hardware.memory_gib:g} GiB"
    return f"{name} is not in this site's catalogue; the cloud has it: {size}"


def _notes(found: Survey) -> list[str]:
    return [remark.text for remark in found.remarks if not remark.is_fault]
