"""Forms whose fields have a place in a JSON document: values out, faults back."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from django import forms

Place = tuple[str | int, ...]


class DocumentForm(forms.Form):
    """A form whose fields have their `places` in a JSON object."""

    places: Mapping[str, Place] = {}
    others: tuple[str, ...] = ()  # fields that are written nowhere: see fact_fields.py

    def content(self) -> dict[str, Any]:
        """The filled fields as JSON, without the empty ones. The form was validated."""
        made: dict[str, Any] = {}
        for name, place in self.places.items():
            value = self.cleaned_data.get(name)
            if value not in (None, "", []):
                _put(made, place, _json(value))
        return made

    @classmethod
    def initial_of(cls, content: Mapping[str, Any]) -> dict[str, Any]:
        """What the fields show for a JSON object."""
        values = {name: _get(content, place) for name, place in cls.places.items()}
        return {name: value for name, value in values.items() if value not in (None, "", [])}

    def has_faultless(self, place: Place) -> bool:
        """Whether a field has exactly this place, and no error yet."""
        return any(
            own == place and name in self.fields and name not in self.errors for name, own in self.places.items()
        )

    def take(self, place: Place, detail: str) -> bool:
        """Show a fault at its field; False when it has none."""
        shown = {name: own for name, own in self.places.items() if name in self.fields}
        at = [name for name, own in shown.items() if place[: len(own)] == own]
        # "#/service is required" belongs to the first field inside it
        within = [name for name, own in shown.items() if own[: len(place)] == place]
        if not place or not (at or within):
            return False
        self.add_error((at or within)[0], detail)
        return True


def place_of(pointer: str) -> Place:
    """An RFC 6901 pointer as a place: "#/nodes/0/count" -> ("nodes", 0, "count")."""
    parts = [part for part in pointer.removeprefix("#").split("/") if part]
    plain: Iterable[str] = (part.replace("~1", "/").replace("~0", "~") for part in parts)
    return tuple(int(part) if part.isdigit() else part for part in plain)


def _put(made: dict[str, Any], place: Place, value: Any) -> None:
    home: Any = made
    for part, following in pairwise(place):
        empty: Any = [{}] if following == 0 else {}
        home = home.setdefault(part, empty) if isinstance(part, str) else home[part]
    home[place[-1]] = value


def _get(content: Any, place: Place) -> Any:
    for part in place:
        if isinstance(part, int):
            content = content[part] if isinstance(content, list | tuple) and content else None
        else:
            content = content.get(part) if isinstance(content, Mapping) else None
    return content


def _json(value: Any) -> Any:
    """Money stays a string, a time becomes ISO 8601."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "as_tuple"):
        return format(value, "f")
    return value
