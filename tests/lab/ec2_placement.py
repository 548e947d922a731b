"""Placement groups, which moto does not have."""

import itertools
from typing import Any

from tests.lab.ec2_filters import select
from tests.lab.ec2_instances import Instances
from tests.lab.ec2_volumes import tags_of
from tests.lab.ec2_wire import Refused

_FILTERS = {"group-name": "GroupName", "group-arn": "GroupArn", "state": "State", "strategy": "Strategy"}


class PlacementGroups:
    def __init__(self, instances: Instances) -> None:
        self.instances = instances
        self.clear()

    def clear(self) -> None:
        self._groups: dict[tuple[str, str], dict[str, Any]] = {}
        self._ids = itertools.count(1)

    def create(self, region: str, given: dict[str, Any]) -> dict[str, Any]:
        name = given["GroupName"]
        if (region, name) in self._groups:
            raise Refused("InvalidPlacementGroup.Duplicate", f"The Placement Group '{name}' already exists.")
        id_ = f"pg-{next(self._ids):017x}"
        group = {
            "GroupName": name,
            "GroupId": id_,
            "GroupArn": f"arn:aws:ec2:{region}:123456789012:placement-group/{name}",
            "State": "available",
            "Strategy": given.get("Strategy", "cluster"),
            "PartitionCount": given.get("PartitionCount"),
            "SpreadLevel": given.get("SpreadLevel"),
            "Tags": [{"Key": key, "Value": value} for key, value in tags_of(given, "placement-group").items()],
        }
        self._groups[region, name] = group
        return {"PlacementGroup": group}

    def describe(self, region: str, given: dict[str, Any]) -> dict[str, Any]:
        for name in given.get("GroupNames", []):
            self.refuse_unknown(region, name)
        here = [group for (where, _), group in self._groups.items() if where == region]
        names, ids = given.get("GroupNames"), given.get("GroupIds")
        here = [one for one in here if not names or one["GroupName"] in names]
        here = [one for one in here if not ids or one["GroupId"] in ids]
        return {"PlacementGroups": select(here, given.get("Filters", []), _FILTERS)}

    def delete(self, region: str, given: dict[str, Any]) -> dict[str, Any]:
        name = given["GroupName"]
        self.refuse_unknown(region, name)
        for life in self.instances.lives.values():
            if life.region == region and life.instance.placement.group_name == name and life.is_left:
                text = f"The placement group '{name}' is in use and may not be deleted."
                raise Refused("InvalidPlacementGroup.InUse", text)
        del self._groups[region, name]
        return {}

    def refuse_unknown(self, region: str, name: str | None) -> None:
        if name and (region, name) not in self._groups:
            raise Refused("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
