"""The facts of a stored group of machines that its document lacks: what an owner may still add."""

from collections.abc import Mapping
from typing import Any

from submissions import facts
from submissions.api.number_fields import NumberField, WholeNumberField
from submissions.choices import Role
from submissions.upload.form import GroupForm

_STATED_ALWAYS = ("role", "count", "instance_type", "pricing_model")


class MachineForm(GroupForm):
    vcpus = WholeNumberField(label=facts.VCPUS.label_with_unit, required=False, min_value=1, max_value=10_000)
    memory_gib = NumberField(unit="GiB", label=facts.MEMORY.label_with_unit, required=False, min_value=0)

    places = {**GroupForm.places, "vcpus": ("vcpus",), "memory_gib": ("memory_gib",)}

    def __init__(self, data: Any, *, index: int, group: Mapping[str, Any], is_priced: bool):
        """`group` is the one in the document with this index; load clients that it lacks have a role only."""
        super().__init__(data, prefix=f"nodes-{index}")
        self.is_new = "count" not in group
        if self.is_new:
            self.title = "Load clients, not stated yet"
            del self.fields["role"]
            return
        self.title = Role(group["role"]).label.capitalize() + f", {group['count']} × {group['instance_type']}"
        for name, place in self.places.items():
            # the first disk's fields belong together: disks are stated as a whole
            is_stated = group.get(str(place[0])) not in (None, "", [], ())
            if name in _STATED_ALWAYS or is_stated or (name == "hourly_usd" and is_priced):
                del self.fields[name]

    def content(self) -> dict[str, Any]:
        own = super().content()
        return {"role": Role.CLIENT.value, **own} if self.is_new else own


def machine_forms(document: Mapping[str, Any], data: Any, priced: set[int]) -> list[MachineForm]:
    """One for each group of the document, in its order, and for clients where it has none.

    `priced` are the indexes of those that have a price.
    """
    groups = list(document.get("nodes", ()))
    if not any(group["role"] == Role.CLIENT for group in groups):
        groups.append({"role": Role.CLIENT.value})
    return [
        MachineForm(data, index=index, group=group, is_priced=index in priced) for index, group in enumerate(groups)
    ]
