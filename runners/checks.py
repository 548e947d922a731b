"""Django's checks of the settings of runs: a site whose workers could not reach their machines does not start."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from runners.providers.registry import offered, traits_of


@register
def ssh_reaches_the_machines(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """RUN_SSH_CIDR against every cloud that the site offers."""
    cidr = settings.RUN_SSH_CIDR
    faults = {slug: fault for slug in offered() if (fault := traits_of(slug).ssh_fault(cidr))}
    messages: list[CheckMessage] = [
        Error(
            f"RUN_SSH_CIDR={cidr} cannot work with {slug}: {fault}.",
            hint="Set it to your workers' public address (203.0.113.x is only an example).",
            id="runners.E001",
        )
        for slug, fault in faults.items()
    ]
    if not faults and cidr in ("0.0.0.0/0", "::/0"):
        hint = "Name the address of the workers only."
        messages.append(
            Warning("RUN_SSH_CIDR lets everyone try to log in to the machines.", hint=hint, id="runners.W001")
        )
    return messages
