"""Short addresses: which pages may have one, and how it is made."""

import hashlib
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from django.conf import settings
from django.db import IntegrityError
from django.http import Http404, QueryDict
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.encoding import iri_to_uri
from django.utils.http import url_has_allowed_host_and_scheme

from benchsite.http.private_parameters import without_private
from submissions.api.currency import CURRENCY
from submissions.formatting.charts import Chart, Preview, Shareable, chart_of
from submissions.formatting.currency import shown_in
from submissions.models import ShortLink
from submissions.models.short_link import LONGEST_PATH
from submissions.pricing.discounts import DISCOUNT
from submissions.records.unpublished import keys_of

SHORTEST_SECRET = 26  # 130 bits: of an address that has the key of an unlisted result
_PATHS = 1024  # whose pages a process knows
SHORTEST_KEY = 8  # base32 digits, five bits each; a key grows where another path has its first digits


class NotShareableError(Exception):
    """Why an address cannot have a short link, for the visitor."""


@dataclass(frozen=True, slots=True)
class View:
    """A public page of this site. `path` has its query, and neither host nor fragment.

    It is without private parameters, such as a discount: `has_left_out` says that the address had one.
    """

    path: str
    shareable: Shareable
    path_values: Mapping[str, Any]
    has_left_out: bool = False

    @property
    def title(self) -> str:
        return self.shareable.title

    @property
    def params(self) -> QueryDict:
        _, _, query = self.path.partition("?")
        return QueryDict(query)

    def charts(self) -> Sequence[Chart]:
        """As a visitor without an account sees them. Raises Http404 where the page does."""
        return self.charts_at("")

    def charts_at(self, discount: str) -> Sequence[Chart]:
        """The same to a reader with this discount."""
        params = self.params
        if discount:
            params = params.copy()
            params[DISCOUNT] = discount
        with shown_in(params.get(CURRENCY, "")):
            return self.shareable.charts(params, **self.path_values)

    def preview(self, charts: Sequence[Chart] | None = None) -> Preview | None:
        """For a picture of the page, as a visitor without an account sees it; None where it says nothing of its own.

        `charts`: where they are known. Raises Http404 where the page does.
        """
        if self.shareable.preview is not None:
            with shown_in(self.params.get(CURRENCY, "")):
                return self.shareable.preview(self.params, **self.path_values)
        return self.preview_of(self.charts() if charts is None else charts)

    def preview_of(self, charts: Sequence[Chart]) -> Preview | None:
        """That of its first chart."""
        if not charts:
            return None
        title = f"{self.title} · {charts[0].subject}" if charts[0].subject else self.title
        return Preview(title, charts[0].label, charts[0])

    def chart(self, key: str, *, discount: str = "") -> Chart:
        """Raises Http404."""
        chart = chart_of(self.charts_at(discount), key)
        if chart is None:
            raise Http404("This page has no such chart.")
        return chart


def known_view(address: str) -> View:
    """The public page at a local address. Raises NotShareableError for anything else."""
    if not _is_local(address):
        raise NotShareableError("This is not an address of this site.")
    parts = urlsplit(iri_to_uri(address))
    query = without_private(parts.query)
    path = urlunsplit(("", "", parts.path, query, ""))
    if len(path) > LONGEST_PATH:
        raise NotShareableError(f"Addresses of more than {LONGEST_PATH:,} characters cannot be shared.")
    try:
        match = _match(unquote(parts.path), settings.ROOT_URLCONF)
    except Resolver404 as error:
        raise NotShareableError("There is no such page on this site.") from error
    shareable: Shareable | None = getattr(match.func, "shareable", None)
    if shareable is None:
        raise NotShareableError("This page is not public: not everybody sees the same.")
    return View(path, shareable, match.kwargs, has_left_out=query != parts.query)


@lru_cache(_PATHS)
def _match(path: str, urlconf: str) -> ResolverMatch:
    """A page asks for its own several times."""
    return resolve(path, urlconf)


def view_of(address: str) -> View | None:
    """The public page at a local address; None where there is none."""
    try:
        return known_view(address)
    except NotShareableError:
        return None


def shorten(address: str, *, created_by: Any = None) -> ShortLink:
    """The short link of a local address: the same address always has the same. Raises NotShareableError.

    An account makes that of a visitor its own, which stays.
    """
    path = known_view(address).path
    digits = b32encode(hashlib.sha256(path.encode()).digest()).decode().rstrip("=").lower()
    for length in range(SHORTEST_SECRET if keys_of(path) else SHORTEST_KEY, len(digits) + 1):
        wanted = {"key": digits[:length], "created_by": created_by}
        try:
            link, is_new = ShortLink.objects.get_or_create(path=path, defaults=wanted)
        except IntegrityError:
            continue  # another path has these digits
        if not is_new:
            link.note_use()
            _keep_for(link, created_by)
        return link
    raise NotShareableError("No short link could be created for this address.")


def _keep_for(link: ShortLink, account: Any) -> None:
    if account is not None and link.created_by_id is None:
        ShortLink.objects.filter(pk=link.pk, created_by=None).update(created_by=account)


def _is_local(address: str) -> bool:
    # "//host", "/\host" and tabs inside are other sites to a browser
    is_odd = "\\" in address or any(ord(character) < 33 or ord(character) == 127 for character in address)
    starts_here = address.startswith("/") and not address.startswith("//")
    return starts_here and not is_odd and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
