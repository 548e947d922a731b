"""The whole form of an upload, facts and machines: values to the metadata of an import, its faults to the fields."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.forms import BaseFormSet, formset_factory
from django.http import QueryDict

from benchsite.http.refusals import Fault
from submissions.choices import Role
from submissions.ingest.batches import BY_TOOL
from submissions.ingest.document.submission import MAX_GROUPS
from submissions.upload.document_form import place_of
from submissions.upload.form import FactsForm, GroupForm
from submissions.upload.publication_form import PublicationForm

_GROUPS = "nodes"  # the prefix of their fields

GroupFormSet = formset_factory(GroupForm, extra=0, max_num=MAX_GROUPS, absolute_max=MAX_GROUPS + 1, validate_max=True)


@dataclass(frozen=True, slots=True)
class MetadataForm:
    facts: FactsForm
    groups: "BaseFormSet[GroupForm]"
    publication: PublicationForm

    @classmethod
    def posted(cls, data: QueryDict, tools: Sequence[str] = ()) -> "MetadataForm":
        """With a database for each of several load tools."""
        return cls(FactsForm(data, tools=tools), GroupFormSet(data, prefix=_GROUPS), PublicationForm(data))

    @classmethod
    def with_one_more_group(cls, data: QueryDict, tools: Sequence[str] = ()) -> "MetadataForm":
        """The posted form, which was valid, with an empty group at its end."""
        more = data.copy()
        total = f"{_GROUPS}-TOTAL_FORMS"
        more[total] = str(int(str(more[total])) + 1)
        return cls(FactsForm(data, tools=tools), GroupFormSet(more, prefix=_GROUPS), PublicationForm(data))

    @classmethod
    def showing(cls, metadata: Mapping[str, Any], tools: Sequence[str] = ()) -> "MetadataForm":
        """A form for each group of the metadata, one for a database where it has none."""
        groups = metadata.get("nodes") or [{"role": Role.DATABASE.value}]
        initial = [GroupForm.initial_of(group) for group in groups]
        by_tool = {f"service-{tool}": name for tool, name in (metadata.get(BY_TOOL) or {}).items()}
        facts = FactsForm(initial={**FactsForm.initial_of(metadata), **by_tool}, tools=tools)
        publication = PublicationForm(initial=PublicationForm.initial_of(metadata))
        return cls(facts, GroupFormSet(initial=initial, prefix=_GROUPS), publication)

    def is_valid(self) -> bool:
        # not `and`: each collects its errors
        return self.facts.is_valid() & self.groups.is_valid() & self.publication.is_valid()

    def metadata(self) -> dict[str, Any]:
        """What an import takes; the form was validated."""
        used = [group.content() for group in self._used_groups()]
        content = {**self.facts.content(), **self.publication.content()}
        return {**content, "nodes": used} if used else content

    def take_faults(self, faults: Sequence[Fault]) -> list[Fault]:
        """Show each fault at its field; those that no field is about are returned."""
        groups = self._used_groups() or list(self.groups)[:1]
        return [fault for fault in faults if not self._take(fault, groups)]

    def know(self, from_log: Mapping[str, Any]) -> None:
        """Hide what the log answers, and show in the empty count of the database nodes how many the log names."""
        self.facts.know(from_log)
        counts = [group.get("count") for group in from_log.get("nodes", ())]
        if self.groups.forms and counts and counts[0]:
            field = self.groups.forms[0].fields["count"]
            field.widget.attrs["placeholder"] = f"{counts[0]}, from the log"

    def _used_groups(self) -> list[GroupForm]:
        return [group for group in self.groups if not group.is_blank]

    def _take(self, fault: Fault, groups: Sequence[GroupForm]) -> bool:
        match place_of(fault.pointer):
            case ("nodes", int(index), *rest) if index < len(groups):
                return groups[index].take(tuple(rest), fault.detail)
            case ("nodes",) if groups:
                groups[0].add_error("instance_type", fault.detail)
                return True
            case place:
                return self.facts.take(place, fault.detail) or self.publication.take(place, fault.detail)


def first_metadata(from_log: Mapping[str, Any], *, clients: int) -> dict[str, Any]:
    """What an untouched form begins with: what the log says of the system, and its clients.

    Neither the workload nor the number of nodes is repeated: what the log says of them fills the
    gap that is left, and is shown as the log's.
    """
    content = {name: value for name, value in from_log.items() if name not in ("workload", "nodes")}
    database = {"role": Role.DATABASE.value}
    return {**content, "nodes": [database, {"role": Role.CLIENT.value, "count": clients}]}
