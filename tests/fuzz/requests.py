"""Headers, methods, paths and short links."""

from collections.abc import Iterator
from urllib.parse import quote

from tests.fuzz.cases import JSON, Case
from tests.fuzz.queries import read_addresses
from tests.fuzz.site import Rows
from tests.fuzz.values import ENCODED, TEXTS

_METHODS = ("HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "QUERY", "PROPFIND", "X" * 300)
_LONG = "x" * 9_000
_HEADERS: dict[str, tuple[str, ...]] = {
    "Accept": (
        *(
            "",
            "*",
            "*/*;q=0",
            "text/csv",
            "application/json;q=nonsense",
            "x/y",
            "text/html, " * 200,
            "a/b;" * 300,
            "/",
            "é",
        ),
        *("application/json; indent=1000000000", "application/json; indent=x", "application/json;version=é"),
    ),
    "Authorization": (
        *(
            "",
            "Bearer",
            "Bearer ",
            "Bearer x",
            "Bearer x y",
            f"Bearer {'0' * 64}",
            f"Bearer {_LONG}",
            "Basic eDp5",
            "Basic !",
        ),
        *("Bearer \x00", "Bearer é", "bearer " + "a" * 64, "Token x", "Digest x=y", "Bearer " + "é" * 32),
    ),
    "Cookie": (
        *(
            "",
            "sessionid=",
            "sessionid=x",
            f"sessionid={_LONG}",
            "sessionid=\x00",
            "sessionid=é; csrftoken=\x00",
            "=;=;=",
            "a" * 9_000,
        ),
        *('sessionid="\\101\\x"', "messages=x", "messages=W1siX19qc29uX21lc3NhZ2UiXV0:x", "csrftoken=x; csrftoken=y"),
    ),
    "Host": (
        "",
        "evil.example",
        "testserver:99999",
        "testserver:x",
        "[::1",
        "é",
        "a" * 300,
        "testserver\x00",
        "test server",
        "@",
    ),
    "Range": (
        "bytes=0-0",
        "bytes=5-1",
        "bytes=-1",
        "bytes=0-9999999999999999999999",
        "x=1-2",
        "bytes=0-1,3-4",
        "é",
    ),
    "If-Modified-Since": (
        "",
        "x",
        "Thu, 01 Jan 0000 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Thu, 99 Jan 2015 25:61:61 GMT",
    ),
    "If-None-Match": ("", "x", '"', 'W/"x"', "*", '"' + _LONG + '"', "é"),
    "If-Unmodified-Since": ("x", "Thu, 01 Jan 1970 00:00:00 GMT"),
    "Accept-Language": ("", "x", "*", "en;q=x", "a-" * 3_000, "\x00", "de-DE-1996,en;q=1e400"),
    "Accept-Encoding": ("", "gzip;q=0", "*;q=0", "identity;q=x", "br" * 3_000),
    "X-Forwarded-For": ("", "x", "1.2.3.4, 5.6.7.8", "::1", "\x00", _LONG, "1.2.3.4:99999"),
    "X-Forwarded-Proto": ("https", "x", "https,http"),
    "X-Http-Method-Override": ("DELETE", "x"),
    "X-Request-Id": ("", "x", _LONG, "a\x00b", "é", "a b", '"}'),
    "X-Requested-With": ("XMLHttpRequest",),
    "Hx-Request": ("true", "x"),
    "Hx-Current-Url": ("x", "http://[::1", "//", "é", "\x00"),
    "Referer": ("", "x", "http://[::1", "javascript:1", _LONG, "\x00"),
    "Origin": ("null", "x", "http://[::1", "https://evil.example"),
    "User-Agent": ("", _LONG, "\x00", "<script>", "é"),
    "Content-Length": ("", "x", "-1", "0", "9" * 30, "1e3", "9" * 5_000, "٣", "1, 2", "00000000001"),
    "Transfer-Encoding": ("chunked", "x"),
    "Expect": ("100-continue", "x"),
}
_ADDRESSES = (
    "/",
    "/submissions/",
    "/api/v1/submissions/",
    "/api/v1/value/",
    "/account/",
    "/data/latest/submissions.csv.gz",
    "/nothing/",
)
_NUMBERS = (
    "0",
    "-1",
    "00",
    "1.0",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "9" * 400,
    "x",
    "%00",
    "%ff",
    "١",
    "1%2f2",
)
_NUMBERED = (
    *("/submissions/{}/", "/submissions/1/artifacts/{}/", "/submissions/{}/report/", "/runs/{}/", "/runs/{}/live/"),
    *("/account/submissions/{}/change/", "/account/clouds/{}/remove/", "/moderation/submissions/{}/"),
    *("/moderation/accounts/{}/", "/api/v1/submissions/{}/", "/api/v1/submissions/{}/intervals/", "/api/v1/runs/{}/"),
    *(
        "/api/v1/submissions/1/artifacts/{}/",
        "/api/v1/submissions/{}/trials/",
        "/api/v1/runs/1/logs/{}/",
        "/admin/submissions/submission/{}/change/",
    ),
)
_NAMED = (
    *(
        "/services/{}/",
        "/services/{}/feed.atom",
        "/workloads/{}/",
        "/s/{}/",
        "/s/{}/about/",
        "/embed/{}/",
        "/embed/value/{}",
    ),
    *(
        "/charts/{}.csv/",
        "/charts/value.{}/",
        "/charts/value.csv/{}",
        "/data/{}/x",
        "/data/latest/{}",
        "/submissions/new/{}/",
    ),
    *(
        "/api/v1/uploads/{}/",
        "/api/v1/tokens/{}/",
        "/account/tokens/{}/revoke/",
        "/account/invitation/{}/",
        "/{}",
        "/api/{}",
    ),
    *("/api/v1/{}/", "/static/{}", "/admin/{}/", "/account/password/reset/key/{}/", "/.well-known/{}"),
)


def cases(rows: Rows) -> list[Case]:
    return [*_methods(rows), *_headers(), *_paths(), *_links()]


def _methods(rows: Rows) -> Iterator[Case]:
    for number, address in enumerate(read_addresses(rows)):
        for method in _METHODS:
            who = ("token", "", "user")[number % 3]
            yield Case(f"{method[:20]} {address}", address, method, b"{}", JSON, who=who)
        yield Case("TRACE for CSV", f"{address}?format=csv", "TRACE", headers={"Accept": "text/csv"})


def _headers() -> Iterator[Case]:
    for header, values in _HEADERS.items():
        for value in values:
            for address in _ADDRESSES:
                yield Case(f"{header}: {value[:20]!a}", address, headers={header: value}, who="")
            yield Case(
                f"{header}: {value[:20]!a}, writing", _ADDRESSES[2], "POST", b"{}", JSON, headers={header: value}
            )


def _paths() -> Iterator[Case]:
    for path in _NUMBERED:
        for number, text in enumerate(_NUMBERS):
            yield Case(text[:20], path.format(text), who=("token", "user", "moderator")[number % 3])
            yield Case(f"writing to {text[:20]}", path.format(text), "POST", b"{}", JSON, who="moderator")
    for path in _NAMED:
        for text in [*map(quote, TEXTS), *ENCODED]:
            yield Case(text[:20], path.format(text), who="user" if path.startswith("/account/") else "")


def _links() -> Iterator[Case]:
    """Short links to odd addresses, and the chart of an odd page."""
    form = "application/x-www-form-urlencoded"
    paths = [
        *map(quote, TEXTS),
        *ENCODED,
        *(quote(f"/value/?workload={text}") for text in TEXTS),
        quote("/submissions/99999999999999999999/"),
    ]
    for path in paths:
        yield Case(f"to {path[:30]}", "/s/", "POST", f"path={path}".encode(), form, who="")
        yield Case(f"chart of {path[:30]}", f"/api/v1/chart/?page={path}&key=groups", who="")
        yield Case(f"chart {path[:30]}", f"/api/v1/chart/?page=/value/&key={path}", who="")
