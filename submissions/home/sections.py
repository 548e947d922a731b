"""What other apps add to the first page, below its heading: of runs the offer to measure this machine."""

from collections.abc import Callable, Collection

from django.http import HttpRequest
from django.utils.safestring import SafeString

# `measured_here`: the databases that have a result of the site's own machine
Part = Callable[[HttpRequest, Collection[str]], SafeString]

_parts: list[Part] = []


def register(part: Part) -> None:
    """For AppConfig.ready. A part is made for each reader, outside of what is cached: without queries for strangers."""
    if part not in _parts:
        _parts.append(part)


def added_parts(request: HttpRequest, measured_here: Collection[str]) -> list[SafeString]:
    return [part(request, measured_here) for part in _parts]
