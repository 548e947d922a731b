"""Where the page of a machine type is."""

from functools import lru_cache
from urllib.parse import urlencode

from django.urls import get_script_prefix, reverse

from submissions.pricing.providers import billing_of

NOT_STATED = "not stated"  # the type of an article that names none


def is_type(provider: str, name: str) -> bool:
    """Whether the name means the same machine to everybody: that of someone's own machine does not."""
    return billing_of(provider).has_types and name != NOT_STATED and "/" not in name


def machine_address(provider: str, name: str) -> str:
    """Empty for what is no machine type."""
    return _address(provider, name, get_script_prefix()) if is_type(provider, name) else ""


def comparison_address(a: str, b: str) -> str:
    """Of two types side by side, each as "aws:i4i.2xlarge"."""
    return f"{reverse('submissions:compare_machines')}?{urlencode({'a': a, 'b': b}, safe=':')}"


@lru_cache(4096)
def _address(provider: str, name: str, script_prefix: str) -> str:
    return reverse("submissions:machine", args=[provider, name])
