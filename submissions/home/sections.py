"""What other apps add to the first page, below its heading: of runs the offer to measure this machine."""

from collections.abc import Callable, Collection

from django.http import HttpRequest
from django.utils.safestring import SafeString

# `measured_here`: the databases that have a result of the site's own machine
Section = Callable[[HttpRequest, Collection[str]], SafeString]

_sections: list[Section] = []


def register(section: Section) -> None:
    """For AppConfig.ready. A section is made for each reader and not cached: it needs no query for strangers."""
    if section not in _sections:
        _sections.append(section)


def added_sections(request: HttpRequest, measured_here: Collection[str]) -> list[SafeString]:
    return [section(request, measured_here) for section in _sections]
