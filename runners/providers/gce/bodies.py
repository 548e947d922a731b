"""What a bulkInsert call says of the machines that it makes."""

from datetime import UTC

from google.cloud import compute_v1 as api

from runners.providers.base import NodeOrder
from runners.providers.gce import disks
from runners.providers.gce import labels as labelling
from runners.providers.gce.groups import Group
from runners.providers.gce.labels import Labels
from runners.providers.gce.shapes import Image, Shape

SPOT = "SPOT"


def properties(
    order: NodeOrder,
    labels: Labels,
    group: Group,
    *,
    shape: Shape,
    image: Image,
    interface: api.NetworkInterface,
    root_gib: int,
) -> api.InstanceProperties:
    """What follows from the group. No service account: the machines may call no API of Google's."""
    values = labels.values(**{labelling.ROLE: group.role})
    return api.InstanceProperties(
        description=f"Benchsite {order.tag}",
        machine_type=group.instance_type,
        disks=disks.attached(group.disks, shape, image, root_gib=root_gib, labels=values),
        network_interfaces=[interface],
        labels=values,
        tags=api.Tags(items=[labels.prefix]),
        scheduling=_scheduling(order),
        metadata=api.Metadata(
            items=[
                api.Items(key="user-data", value=order.user_data),
                # neither the project's keys nor its users open these machines
                api.Items(key="block-project-ssh-keys", value="TRUE"),
                api.Items(key="enable-oslogin", value="FALSE"),
            ]
        ),
    )


def _scheduling(order: NodeOrder) -> api.Scheduling:
    """GCE itself deletes a machine at the run's expiry, whatever became of this site."""
    found = api.Scheduling(
        provisioning_model=SPOT if order.spot else "STANDARD",
        instance_termination_action="DELETE",
        termination_time=order.expires_at.astimezone(UTC).isoformat(timespec="seconds"),
        automatic_restart=False,  # a machine that comes back is another: its local disks are empty
    )
    if order.spot:
        found.on_host_maintenance = "TERMINATE"
    return found
