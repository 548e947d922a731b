"""What a run does first on hosts that another run had before: scripts/reset.sh, on each of them."""

from collections.abc import Sequence

from runners.load_tools.base import Job, Member
from runners.load_tools.job_parts import job, scripts
from runners.models import Run

EXPECTED_SECONDS, LIMIT_SECONDS = 20.0, 600.0


def jobs(run: Run, members: Sequence[Member]) -> list[Job]:
    """None for a run that launched its machines."""
    if run.took_over_from is None:
        return []
    from runners.hosts.remote import folder_of  # here: it loads asyncssh, 10 MB of each process of the site

    command = f"sh bin/reset.sh {folder_of(run.took_over_from)}"
    files = {member.name: scripts(["reset.sh"]) for member in members}
    names = dict.fromkeys((member.name for member in members), command)
    return [job("reset", names, EXPECTED_SECONDS, LIMIT_SECONDS, files=files)]
