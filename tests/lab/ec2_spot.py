"""Spot instance requests: what RunInstances with a market option makes beside the instance."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tests.lab.ec2_filters import select
from tests.lab.ec2_instances import Instances, Life
from tests.lab.ec2_volumes import tags_of
from tests.lab.ec2_wire import Refused

_FILTERS = {
    "instance-id": "InstanceId",
    "spot-instance-request-id": "SpotInstanceRequestId",
    "state": "State",
    "launched-availability-zone": "LaunchedAvailabilityZone",
}


class SpotRequests:
    def __init__(self, instances: Instances) -> None:
        self.instances = instances
        self.clear()

    def clear(self) -> None:
        self._ids = itertools.count(1)

    def request(self, life: Life, given: dict[str, Any]) -> None:
        """The fulfilled request of a spot instance that has just been launched."""
        id_ = f"sir-{next(self._ids):08x}"
        options = given["InstanceMarketOptions"].get("SpotOptions", {})
        life.instance.spot_instance_request_id = id_
        life.spot = {
            "SpotInstanceRequestId": id_,
            "InstanceId": life.instance.id,
            "State": "active",
            "Status": {"Code": "fulfilled", "Message": "Your Spot request is fulfilled."},
            "CreateTime": datetime.now(UTC),
            "Type": options.get("SpotInstanceType", "one-time"),
            "InstanceInterruptionBehavior": options.get("InstanceInterruptionBehavior", "terminate"),
            "SpotPrice": options.get("MaxPrice"),
            "ProductDescription": "Linux/UNIX",
            "LaunchedAvailabilityZone": life.instance.availability_zone,
            "Tags": [{"Key": key, "Value": value} for key, value in tags_of(given, "spot-instances-request").items()],
        }

    def describe(self, region: str, given: dict[str, Any]) -> dict[str, Any]:
        requests = self._all(region)
        if wanted := given.get("SpotInstanceRequestIds"):
            self._known(region, wanted)
            requests = [one for one in requests if one["SpotInstanceRequestId"] in wanted]
        return {"SpotInstanceRequests": select(requests, given.get("Filters", []), _FILTERS)}

    def cancel(self, region: str, given: dict[str, Any]) -> dict[str, Any]:
        """Cancelling a request does not end its instance."""
        wanted = given["SpotInstanceRequestIds"]
        self._known(region, wanted)
        for one in self._all(region):
            if one["SpotInstanceRequestId"] in wanted and one["State"] == "active":
                one.update(State="cancelled", Status={"Code": "request-canceled-and-instance-running"})
        cancelled = [{"SpotInstanceRequestId": id_, "State": "cancelled"} for id_ in wanted]
        return {"CancelledSpotInstanceRequests": cancelled}

    def tag(self, resources: Sequence[str], tags: Sequence[dict[str, str]]) -> None:
        for life in self.instances.lives.values():
            if life.spot and life.spot["SpotInstanceRequestId"] in resources:
                keys = {tag["Key"] for tag in tags}
                life.spot["Tags"] = [tag for tag in life.spot["Tags"] if tag["Key"] not in keys] + list(tags)

    def _all(self, region: str) -> list[dict[str, Any]]:
        return [life.spot for life in self.instances.lives.values() if life.spot and life.region == region]

    def _known(self, region: str, wanted: Sequence[str]) -> None:
        unknown = set(wanted) - {one["SpotInstanceRequestId"] for one in self._all(region)}
        if unknown:
            text = f"The spot instance request ID '{sorted(unknown)[0]}' does not exist"
            raise Refused("InvalidSpotInstanceRequestID.NotFound", text)
