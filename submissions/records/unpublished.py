"""Results that are not for everyone: what opens them, and answers that no cache keeps and no search engine lists."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

from submissions.models import LINK_KEY, Submission, is_linked

MOST_KEYS = 10  # of one address: a comparison has at most six results
_KEY = re.compile(r"[A-Za-z0-9_-]{20,32}")

Response = TypeVar("Response", bound=HttpResponseBase)


class HasReaders(Protocol):
    @property
    def is_open(self) -> bool: ...


def link_keys(params: Mapping[str, Any]) -> Sequence[str]:
    """The keys of unlisted results in the query of an address: ?key=..., repeated for several."""
    given = params.getlist(LINK_KEY) if isinstance(params, QueryDict) else ()
    return [key for key in given[:MOST_KEYS] if _KEY.fullmatch(key)]


def keys_of(address: str) -> Sequence[str]:
    """The same of an address with its query; none of what is no address."""
    try:
        return link_keys(QueryDict(urlsplit(address).query))
    except ValueError:
        return ()


def opening_keys(keys: Sequence[str], numbers: Sequence[int]) -> Sequence[str]:
    """Those of the keys that open an unlisted result among these, in the order given."""
    if not keys or not numbers:
        return []
    opening = set(Submission.objects.filter(is_linked(keys), pk__in=numbers).values_list("link_key", flat=True))
    return [key for key in dict.fromkeys(keys) if key in opening]


def link_address(request: HttpRequest, *shown: Submission) -> str:
    """The address of this page with the keys of its unlisted results; "" where it has them already.

    So that their owner can pass on what the browser shows, and all links of the page work for others too.
    """
    keys = [each.link_key or "" for each in shown if each.link_query]
    if set(keys) <= set(link_keys(request.GET)):
        return ""
    params = request.GET.copy()
    params.setlist(LINK_KEY, keys)
    return f"{request.path}?{params.urlencode()}"


def for_its_readers(response: Response, *shown: HasReaders) -> Response:
    """The response about these submissions or runs, marked as private where one of them is not open to all."""
    if not all(each.is_open for each in shown):
        _mark_as_private(response)
    return response


def for_readers_of(address: str, response: Response, *, cache_seconds: int) -> Response:
    """The response about a page, the same for everybody who has its address: caches keep it unless that has a key."""
    if keys_of(address):
        _mark_as_private(response)
    else:
        patch_cache_control(response, public=True, max_age=cache_seconds)
    return response


def _mark_as_private(response: HttpResponseBase) -> None:
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "same-origin"  # no other site learns the address, whose key opens the page
