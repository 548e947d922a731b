"""Links of the frame around every page: four sections, and the pages of each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from types import SimpleNamespace

from django import template
from django.conf import settings
from django.template.loader import render_to_string
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
        ("Machines", "/machines/"),
        ("Machines side by side", "/machines/compare/"),
    ),
    "Results": (
        ("All results", "/submissions/"),
        ("Databases", "/services/"),
        ("Workloads", "/workloads/"),
        ("Compare", "/compare/"),
        ("Databases side by side", "/compare/databases/"),
        ("Grid", "/compare/grid/"),
        ("Effect of one setting", "/compare/fact/"),
        ("Scaling", "/scaling/"),
        ("History", "/history/"),
        ("Coverage", "/coverage/"),
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
# by `nav_link`, in the header and the footer
_LINKED = (
    "submissions:new",
    "submissions:account",
    "account_login",
    "submissions:methodology",
    "submissions:data",
    "submissions:moderation",
)
_FRAMES = 128  # headers and footers of a process: one of each for a page of the navigation, and what lies below it
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


@register.simple_tag(takes_context=True)
def site_header(context: template.Context) -> SafeString:
    """What is above every page: the same for all who are signed in, and for all who are not."""
    is_authenticated = bool(getattr(context.get("user"), "is_authenticated", False))
    header = _header.__wrapped__ if settings.DEBUG else _header
    return header(site_navigation(context), is_authenticated, _linked_path(context))


@register.simple_tag(takes_context=True)
def site_footer(context: template.Context) -> SafeString:
    """With where the code is published, if it is set."""
    footer = _footer.__wrapped__ if settings.DEBUG else _footer
    return footer(settings.SOURCE_CODE_URL or "", _linked_path(context))


@lru_cache(_FRAMES)
def _header(navigation: Navigation, is_authenticated: bool, path: str) -> SafeString:
    context = {
        "navigation": navigation,
        "user": SimpleNamespace(is_authenticated=is_authenticated),
        "request": SimpleNamespace(path=path),
    }
    return render_to_string("components/site_header.html", context)


@lru_cache(_FRAMES)
def _footer(source_address: str, path: str) -> SafeString:
    context = {"source_address": source_address, "request": SimpleNamespace(path=path)}
    return render_to_string("components/site_footer.html", context)


def _linked_path(context: template.Context) -> str:
    """The path of a page to which the frame itself links; "" for any other."""
    path = getattr(context.get("request"), "path", "")
    return path if path in _linked_paths() else ""


@cache
def _linked_paths() -> frozenset[str]:
    return frozenset(map(reverse, _LINKED))


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
