"""The vCPUs that an account may run in a region, and those that it runs already."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from runners.providers.aws.ec2 import existing_types, instances
from runners.providers.base import Remark

# https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html: (on demand, spot), by the letters
# before the generation; "" is Standard: A, C, D, H, I, M, R, T, Z.
_CODES: Mapping[str, tuple[str, str | None]] = {
    "": ("L-1216C47A", "L-34B43A08"),
    "dl": ("L-6E869C2A", "L-85EED4F7"),
    "f": ("L-74FC7D96", "L-88CF9481"),
    "g": ("L-DB2E81BA", "L-3819A6DF"),
    "hpc": ("L-F7808C92", None),
    "inf": ("L-1945791B", "L-B5D1601B"),
    "p": ("L-417A185B", "L-7212CCBC"),
    "trn": ("L-2C3B7624", "L-6B0D517C"),
    "u": ("L-43DA4232", None),
    "x": ("L-7295265B", "L-E3A00192"),
}
_SAME = {"gr": "g", "vt": "g"}
_STANDARD = "acdhimrtz"
_ALIVE = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]


def code_of(instance_type: str, *, spot: bool) -> str | None:
    """The quota that counts the type's vCPUs; None when it is not known."""
    family = re.match(r"[a-z]*", instance_type)[0]  # type: ignore[index]  # it always matches
    family = _SAME.get(family, family)
    if family not in _CODES:
        family = "" if family[:1] in _STANDARD and family != "mac" else "?"
    codes = _CODES.get(family)
    return codes[spot] if codes else None


def remarks(quotas: Any, ec2: Any, region: str, needed: Mapping[str, int], *, spot: bool) -> list[Remark]:
    """What the account's quotas say of `needed` vCPUs by instance type."""
    by_code: dict[str, int] = {}
    unknown = [
        Remark.note("#", f"the quota for {name} is not known") for name in needed if not code_of(name, spot=spot)
    ]
    for name, vcpus in needed.items():
        if code := code_of(name, spot=spot):
            by_code[code] = by_code.get(code, 0) + vcpus
    limits = {code: quotas.get_service_quota(ServiceCode="ec2", QuotaCode=code)["Quota"] for code in sorted(by_code)}
    used = _used(ec2, spot=spot) if limits else {}
    return unknown + [
        Remark.fault("#", _sentence(quota, region, used.get(code, 0), by_code[code]))
        for code, quota in limits.items()
        if used.get(code, 0) + by_code[code] > quota["Value"]
    ]


def _sentence(quota: Mapping[str, Any], region: str, used: int, needed: int) -> str:
    name = f"{quota.get('QuotaName', 'EC2 vCPUs')} ({quota['QuotaCode']})"
    return (
        f"the account may run {quota['Value']:,.0f} vCPUs in {region} by the quota {name}; {used:,} are in use and the "
        f"plan needs {needed:,}: ask AWS (Service Quotas) for at least {used + needed:,}"
    )


def _used(ec2: Any, *, spot: bool) -> dict[str, int]:
    """vCPUs of all running machines of the account, by quota."""
    there = [one for one in instances(ec2, _ALIVE) if (one.get("InstanceLifecycle") == "spot") == spot]
    names = Counter(str(instance["InstanceType"]) for instance in there)
    types = existing_types(ec2, names) if names else {}
    used: Counter[str] = Counter()
    for name, machines in names.items():
        if (code := code_of(name, spot=spot)) and name in types:
            used[code] += machines * int(types[name]["VCpuInfo"]["DefaultVCpus"])
    return used
