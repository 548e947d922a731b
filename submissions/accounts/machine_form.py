"""The facts of a stored group of machines that its document lacks: what an owner may still add."""

from collections.abc import Mapping
from typing import Any

from django import forms

from submissions import facts
from submissions.choices import Role
from submissions.upload.form import GroupForm

_STATED_ALWAYS = ("role", "count", "instance_type", "pricing_model")


class MachineForm(GroupForm):
    vcpus = forms.IntegerField(label=facts.VCPUS.label_with_unit, required=False, min_value=1, max_value=10_000)
    memory_gib = forms.FloatField(label=facts.MEMORY.label_with_unit, required=False, min_value=0)

    places = {**GroupForm.places, "vcpus": ("vcpus",), "memory_gib": ("memory_gib",)}

    def __init__(self, data: Any, *, index: int, group: Mapping[str, Any], is_priced: bool):
        """`group` is the one in the document with this index."""
        super().__init__(data, prefix=f"nodes-{index}")
        self.title = Role(group["role"]).label.capitalize() + f", {group['count']} × {group['instance_type']}"
        for name, place in self.places.items():
            # the first disk's fields belong together: disks are stated as a whole
            is_stated = group.get(str(place[0])) not in (None, "", [], ())
            if name in _STATED_ALWAYS or is_stated or (name == "hourly_usd" and is_priced):
                del self.fields[name]


def machine_forms(document: Mapping[str, Any], data: Any, priced: set[int]) -> list[MachineForm]:
    """One for each group of the document, in its order; `priced` are the indexes of those that have a price."""
    return [
        MachineForm(data, index=index, group=group, is_priced=index in priced)
        for index, group in enumerate(document.get("nodes", ()))
    ]
