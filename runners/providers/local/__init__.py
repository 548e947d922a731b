"""This machine as the cloud: a node is a folder, its processes are found by that folder, nothing needs root or ssh."""

from pathlib import Path

from django.conf import settings

from runners.models import Run
from runners.providers.base import Traits
from runners.providers.local.hosts import LocalHosts
from runners.providers.local.provider import LocalProvider

TRAITS = Traits(is_this_machine=True)


def runs_folder() -> Path:
    return Path(settings.DATA_DIR) / "runs"


def make_provider(run: Run | None) -> LocalProvider:
    return LocalProvider(runs_folder())


def make_hosts(run: Run) -> LocalHosts:
    return LocalHosts(runs_folder() / run.tag)
