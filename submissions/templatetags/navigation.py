"""Links of the frame around every page: four sections, and the pages of each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from django import template
from django.conf import settings
from django.urls import Resolver404, resolve, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

SEARCH = "/search/"
ADDRESS_CHARACTERS = 100
_NO_WORDS = {"", "search", "submissions", "services", "workloads", "index.html", "index.php"}

# section -> (label, address) of its pages; a page that this site does not have is left out
_PAGES = {
    "Find": (
        ("Recommend", "/recommend/"),
        ("Value", "/value/"),
        ("Prices", "/prices/"),
    ),
    "Results": (
        ("All results", "/submissions/"),
        ("Databases", "/services/"),
        ("Workloads", "/workloads/"),
        ("Compare", "/compare/"),
        ("Differences", "/compare/grid/"),
        ("One change", "/compare/fact/"),
        ("Scaling", "/scaling/"),
        ("History", "/history/"),
        ("Classics", "/classics/"),
    ),
    "Run": (
        ("Runs", "/runs/"),
        ("New run", "/runs/new/"),
        ("Series", "/series/"),
    ),
    "Learn": (
        ("Methodology", "/about/methodology/"),
        ("Data", "/data/"),
        ("API", "/api/docs/"),
    ),
}
_WITHOUT_SECTION = ("/submissions/new/",)


@dataclass(frozen=True, slots=True)
class Page:
    label: str
    address: str
    state: str = ""  # of aria-current: "page", or "true" for what lies below this page


@dataclass(frozen=True, slots=True)
class Section:
    label: str
    pages: tuple[Page, ...]
    state: str = ""

    @property
    def address(self) -> str:
        return self.pages[0].address


@dataclass(frozen=True, slots=True)
class Navigation:
    sections: tuple[Section, ...]
    search: str  # address of the search; empty where the site has none, and on its own page, which has a box

    @property
    def current(self) -> Section | None:
        return next((section for section in self.sections if section.state), None)


@register.simple_tag(takes_context=True)
def site_navigation(context: template.Context) -> Navigation:
    """The sections with the current page marked; an error page has no request."""
    path = getattr(context.get("request"), "path", "")
    return Navigation(tuple(_marked(path)), SEARCH if path != SEARCH and _exists(SEARCH) else "")


@register.simple_tag(takes_context=True)
def address_words(context: template.Context) -> str:
    """The words of an address at which there is no page, for the search box on the page that says so."""
    path = getattr(context.get("request"), "path", "")
    words = [word for word in re.split(r"[^\w.]+|_", path) if word.lower() not in _NO_WORDS]
    return " ".join(words)[:ADDRESS_CHARACTERS].strip()


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, url_name: str, label: str, css_class: str = "") -> SafeString:
    """A link, marked where it leads to the current page; an error page has no request."""
    address = reverse(url_name)
    path = getattr(context.get("request"), "path", None)
    current = mark_safe(' aria-current="page"') if path == address else ""
    styled = format_html(' class="{}"', css_class) if css_class else ""
    return format_html('<a href="{}"{}{}>{}</a>', address, styled, current, label)


@register.simple_tag
def source_code_url() -> str:
    """Where the code is published; empty where the setting is."""
    return settings.SOURCE_CODE_URL or ""


def _marked(path: str) -> Iterator[Section]:
    current = _current(path)
    for section in _sections():
        pages = tuple(Page(page.label, page.address, _state(page, current, path)) for page in section.pages)
        # the first page stands for its section in the menu
        state = ("page" if path == section.address else "true") if current in section.pages else ""
        yield Section(section.label, pages, state)


def _current(path: str) -> Page | None:
    """The page itself, or the nearest above it."""
    if path in _WITHOUT_SECTION:
        return None
    above = [page for section in _sections() for page in section.pages if path.startswith(page.address)]
    return max(above, key=lambda page: len(page.address), default=None)


def _state(page: Page, current: Page | None, path: str) -> str:
    if page != current:
        return ""
    return "page" if path == page.address else "true"


@cache
def _sections() -> tuple[Section, ...]:
    return tuple(
        Section(label, tuple(Page(name, address) for name, address in pages if _exists(address)))
        for label, pages in _PAGES.items()
    )


@cache
def _exists(address: str) -> bool:
    try:
        resolve(address)
    except Resolver404:
        return False
    return True
