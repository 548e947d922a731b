"""Masks the secrets in facts: the values of a document, of metadata, of a plan."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

from benchsite.http.refusals import Refusal
from submissions.choices import NetworkEncryption
from submissions.ingest.document.faults import pointer
from submissions.ingest.secrets.mask import MASK, mask_text, may_hold_secrets
from submissions.ingest.secrets.names import is_secret

# A fact of most documents, whose name begins as that of a key: its values are a closed list.
_ENCRYPTION = re.compile(rf'"encryption":(?:null|"(?:{"|".join(NetworkEncryption)})")'.encode())
_MAX_DEPTH = 100  # settings may have 6 levels; what is deeper is no document


def mask_facts(content: Mapping[str, Any]) -> dict[str, Any]:
    """The same JSON object with masks in its texts. Refusal where it is nested too deeply to be looked through."""
    if not _may_hold_secrets(content):
        return dict(content)
    return {mask_text(key): _masked(value, key, 1) for key, value in content.items()}


def masked_places(value: Any, place: str = "#") -> Iterator[str]:
    """The pointers of the texts that have a mask, of this upload or of an earlier one."""
    if MASK.encode() in to_json(value):
        yield from _masked_places(value, place)


def _masked_places(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _masked_places(item, pointer((key,), place))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _masked_places(item, f"{place}/{index}")
    elif isinstance(value, str) and MASK in value:
        yield place


def _may_hold_secrets(content: Mapping[str, Any]) -> bool:
    """A quick look at all of it: most documents have none."""
    try:
        return may_hold_secrets(_ENCRYPTION.sub(b"", to_json(content, fallback=str)))
    except (PydanticSerializationError, ValueError):
        return True  # broken characters, or nested too deeply


def _masked(value: Any, name: str, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise Refusal.at("#", f"must not be nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, str):
        return MASK if is_secret(name, value) else mask_text(value)
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, dict | Mapping):
        return {_key(key): _masked(item, str(key), depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item, _name_of(value, index, name), depth + 1) for index, item in enumerate(value)]
    if isinstance(value, int) and not isinstance(value, bool) and is_secret(name, str(value)):
        return MASK
    return value


def _key(key: Any) -> Any:
    return mask_text(key) if isinstance(key, str) else key


def _name_of(values: list[Any] | tuple[Any, ...], index: int, name: str) -> str:
    """The name of a list's item: the option before it, as in ["--password", "abc"], else that of the list."""
    before = values[index - 1] if index else None
    return before if isinstance(before, str) and before.startswith("-") else name
