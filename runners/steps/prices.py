"""What a node of each role costs an hour today: frozen on the node when it is ordered."""

from decimal import Decimal

from django.utils import timezone

from runners.cluster import plan_of
from runners.models import Run
from runners.plans.pricing import groups_of
from submissions.pricing.cost import Group


def node_prices(run: Run) -> dict[str, Decimal | None]:
    """USD per node and hour by role, storage included; None where a price is unknown."""
    return {group.role: _node_usd(group) for group in groups_of(plan_of(run), on=timezone.now().date())}


def _node_usd(group: Group) -> Decimal | None:
    node, storage = group.node.hourly_usd, group.storage_hourly_usd
    return None if node is None or storage is None else node + storage
