"""What a view says about its answer: which stored data it is made from, or why the response cache leaves it alone."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from django.conf import settings
from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve

_PATHS = 4096

Versions = Mapping[str, str]  # by subject; one is missing where its version cannot be known
_readers: list[Callable[[], Versions]] = []

AnyView = TypeVar("AnyView", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class FromData:
    """An answer changes only when one of these subjects does, or when the hour does.

    `parameters` are those that the view reads: an answer to a query with another one is not stored, else anybody could
    fill the cache with copies of one page. One for programs is never older than the data, differs by the Accept header,
    and is counted by the throttles of the API.
    """

    subjects: tuple[str, ...]
    parameters: frozenset[str]
    is_for_programs: bool

    def reads_all_of(self, query: str) -> bool:
        if not query:
            return True
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
        except ValueError:
            return False  # so many that Django refuses the request
        return self.parameters.issuperset(parameter for parameter, _ in pairs)


@dataclass(frozen=True, slots=True)
class NotShared:
    why: str


def from_data(
    *subjects: str, parameters: Collection[str] = (), is_for_programs: bool = False
) -> Callable[[AnyView], AnyView]:
    """Above all other decorators of a view, or on the class of one."""
    shared = frozenset(parameters) - settings.PRIVATE_PARAMETERS  # no answer to one of those is stored
    return _mark(FromData(tuple(map(str, subjects)), shared, is_for_programs))


def not_shared(why: str) -> Callable[[AnyView], AnyView]:
    """The response cache neither stores nor compares the answers of the view."""
    return _mark(NotShared(why))


def _mark(declaration: FromData | NotShared) -> Callable[[AnyView], AnyView]:
    def mark(view: AnyView) -> AnyView:
        view.declaration = declaration  # type: ignore[attr-defined]
        return view

    return mark


def declaration_of(view: Callable[..., Any]) -> FromData | NotShared | None:
    """As the view itself says: a class does not inherit it."""
    of_class = vars(getattr(view, "view_class", view)).get("declaration")
    declared: FromData | NotShared | None = vars(view).get("declaration", of_class)
    return declared


def from_data_of(match: ResolverMatch | None) -> FromData | None:
    declared = declaration_of(match.func) if match else None
    return declared if isinstance(declared, FromData) else None


def is_known_to(request: HttpRequest, etag: str) -> bool:
    """Whether the client has the answer with this ETag."""
    given = request.META.get("HTTP_IF_NONE_MATCH", "")
    return bool(etag) and etag.removeprefix("W/") in (tag.strip().removeprefix("W/") for tag in given.split(","))


def read_versions_by(read: Callable[[], Versions]) -> None:
    """The app that stores the data says how its versions are read."""
    _readers[:] = [read]


def read_versions() -> Versions:
    return _readers[0]()


def match_of(request: HttpRequest) -> ResolverMatch | None:
    return match_of_path(request.path_info, getattr(request, "urlconf", None) or settings.ROOT_URLCONF)


@lru_cache(_PATHS)
def match_of_path(path: str, urlconf: str) -> ResolverMatch | None:
    try:
        return resolve(path, urlconf)
    except Resolver404:
        return None
