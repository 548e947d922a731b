"""Django's checks of the settings of runs: a site that could not use its clouds does not start, and says why."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from runners.providers.registry import offered, traits_of
from submissions.formatting.text import join_and


@register
def clouds_are_configured(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Every setting that a cloud of RUN_PROVIDERS needs, in one message."""
    cidr = settings.RUN_SSH_CIDR
    unreached: dict[str, list[str]] = {}  # clouds by the reason
    needed: list[str] = []
    for slug in offered():
        needed += traits_of(slug).missing_settings()
        if fault := traits_of(slug).ssh_fault(cidr):
            unreached.setdefault(fault, []).append(slug)
    for fault, slugs in unreached.items():
        needed.append(f"RUN_SSH_CIDR={cidr} cannot work with {join_and(slugs)}: {fault}")
    if needed:
        return [
            Error(
                f"RUN_PROVIDERS={','.join(offered())} needs other settings. {'. '.join(needed)}.",
                hint="RUN_SSH_CIDR is the public address of your workers, followed by /32."
                if unreached
                else "Leave a cloud that you do not use out of RUN_PROVIDERS.",
                id="runners.E001",
            )
        ]
    if cidr in ("0.0.0.0/0", "::/0"):
        hint = "Name the address of the workers only."
        return [Warning("RUN_SSH_CIDR lets everyone try to log in to the machines.", hint=hint, id="runners.W001")]
    return []
