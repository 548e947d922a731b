"""Times in a step's scratch: written once, read by whichever worker goes on."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from runners.models import Run


def remember(run: Run, **changes: Any) -> None:
    """Write to the scratch of the current step; lost as soon as the run moves on."""
    run.state = {**run.state, **changes}
    Run.objects.filter(pk=run.pk, status=run.status).update(state=run.state)


def since(run: Run, name: str) -> timedelta:
    """How long ago `name` was first asked for in this step; zero the first time."""
    now = timezone.now()
    if name not in run.state:
        remember(run, **{name: now.isoformat()})
        return timedelta(0)
    return now - datetime.fromisoformat(run.state[name])
