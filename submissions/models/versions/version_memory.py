"""What a process knows as long as a version of the data lasts: see data_version.py."""

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class VersionMemory(Generic[Key, Value]):
    """At most `most` values, all of one version; they are read after the version, so that none is older."""

    def __init__(self, most: int):
        self._most = most
        self._lock = threading.Lock()
        self._version: object = None
        self._values: dict[Key, Value] = {}

    def get(self, version: object, key: Key) -> Value | None:
        with self._lock:
            return self._values.get(key) if self._version == version else None

    def set(self, version: object, key: Key, value: Value) -> None:
        with self._lock:
            if self._version != version or len(self._values) >= self._most:
                self._version, self._values = version, {}
            self._values[key] = value
