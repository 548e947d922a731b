"""How a link to a page is shown elsewhere: its absolute addresses, with the parameters that count, in one order."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from submissions.models import LINK_KEY
from submissions.records.unpublished import keys_of
from submissions.sharing.links import View

CARD = "card.png"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Of a page; absolute, by the name that the site's settings have for it.

    `canonical` is "" for a page that only the holders of its link may open.
    """

    canonical: str
    page: str
    card: str
    oembed: str


def addresses(view: View) -> Addresses:
    is_secret = bool(keys_of(view.path))
    page = absolute(normal_path(view))
    return Addresses(
        canonical="" if is_secret else page,
        page=page,
        card=absolute(card_path(view)),
        oembed=absolute(f"{reverse('submissions:oembed')}?{urlencode({'url': page})}"),
    )


def absolute(path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def normal_path(view: View) -> str:
    """Without parameters that change nothing: one page has one address."""
    return _with_query(urlsplit(view.path).path, view)


def card_path(view: View) -> str:
    """Where the picture of the page is."""
    return _with_query(f"{urlsplit(view.path).path}{CARD}", view)


def _with_query(path: str, view: View) -> str:
    query = normal_query(view.params, view.shareable.parameters)
    return f"{path}?{query}" if query else path


def normal_query(params: QueryDict, names: Sequence[str] | None) -> str:
    """The parameters that count, in the order of `names`, those of one name as they are; None: all, by name."""
    counting = sorted(params) if names is None else [*names, LINK_KEY]
    pairs = [(name, value) for name in dict.fromkeys(counting) for value in params.getlist(name) if value.strip()]
    return urlencode(pairs)
