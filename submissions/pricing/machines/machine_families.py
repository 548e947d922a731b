"""The machine family in the name of a machine type: one rule a provider, as its own documentation groups its types."""

import re
from collections.abc import Callable

Rule = Callable[[str], str | None]
Named = Callable[[str], bool]

# "Standard_D8ads_v5": letters, vCPUs (of constrained ones two numbers; i: isolated), features, accelerator, version
_AZURE = re.compile(
    r"(?P<tier>Standard|Basic)_(?P<series>[A-Z]+)\d+(?:-\d+)?i?(?P<features>[a-z]*)"
    r"(?P<accelerator>(?:_[A-Z][A-Za-z]*\d[A-Za-z0-9]*|_cc)*)(?:_\d+)?(?:_?(?P<version>v\d+))?(?:_Promo)?"
)


def no_family(instance_type: str) -> str | None:
    """Of a provider whose names are not known here."""
    return None


def named_by(pattern: str) -> Rule:
    """The part of the name that `family` of the pattern matches; the pattern has to match the whole name."""
    compiled = re.compile(pattern)

    def family(instance_type: str) -> str | None:
        match = compiled.fullmatch(instance_type)
        return match["family"] if match else None

    return family


def never(name: str) -> bool:
    return False


def matching(pattern: str) -> Named:
    """Whether the pattern matches the whole name."""
    compiled = re.compile(pattern)
    return lambda name: compiled.fullmatch(name) is not None


def azure_family(instance_type: str) -> str | None:
    """ "Standard_D8ads_v5" -> "Dadsv5"; an accelerator stays apart: "NCads_A100_v4"."""
    match = _AZURE.fullmatch(instance_type)
    if match is None:
        return None
    letters, version = match["series"] + match["features"], match["version"] or ""
    if match["accelerator"]:
        version = f"_{version}" if version else ""
    tier = "Basic_" if match["tier"] == "Basic" else ""
    return f"{tier}{letters}{match['accelerator']}{version}"


def gce_family(instance_type: str) -> str | None:
    """ "n2-standard-8" -> "n2-standard"; shared-core types have a series only: "e2-medium" -> "e2"."""
    match = _GCE.fullmatch(instance_type)
    if match is None:
        return None
    if match["size"] is None:
        return match["series"]
    return f"{match['series']}-{match['shape']}" if match["series"] else "n1-custom"


_GCE = re.compile(r"(?:(?P<series>[a-z]+\d+[a-z]*)-)?(?P<shape>[a-z]+)(?:-(?P<size>\d+[a-z]*)(?:-[a-z0-9-]+)?)?")
