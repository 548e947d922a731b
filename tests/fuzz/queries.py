"""Parameters of every address that is read: each known name with odd values, unknown names, broken encodings."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tests.fuzz.cases import Case
from tests.fuzz.site import Rows
from tests.fuzz.values import ENCODED, TEXTS

_SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
# Of pages, beside those of the API
_PAGE_NAMES = (
    *("s", "with", "like", "from", "to", "percentile", "tab", "q", "next", "page", "key", "by", "metric", "cluster"),
    *("x", "y", "operation", "trial", "client", "kind", "run", "provider", "plan", "again", "preset"),
    "csrfmiddlewaretoken",
)
_VALUES_OF_A_NAME = 9
_FEW = 20  # names; of more each has one value at an address


def cases(rows: Rows) -> list[Case]:
    made = []
    for number, (address, names) in enumerate([*_api(rows), *_pages(rows)]):
        made += [Case(name, f"{address}?{query}", who=_reader(number)) for name, query in _queries(names, number)]
    return made


def read_addresses(rows: Rows) -> list[str]:
    """Every address that is read, filled with what is stored."""
    return [address for address, _ in [*_api(rows), *_pages(rows)]]


def _reader(number: int) -> str:
    return ("", "user", "moderator")[number % 3]


def _api(rows: Rows) -> Iterator[tuple[str, list[str]]]:
    for path, operations in _SCHEMA["paths"].items():
        if "get" in operations:
            names = [each["name"] for each in operations["get"].get("parameters", []) if each["in"] == "query"]
            number = rows.upload if "/uploads/" in path else rows.run if "/runs/" in path else rows.submission
            yield path.format(id=number, output=rows.log, provider="aws", name="i4i.2xlarge"), names
    yield "/api/v1/schema/", ["format", "version", "lang"]
    yield "/api/docs/console/", ["script", "format"]
    yield f"/api/v1/submissions/{rows.submission}/artifacts/{rows.artifact}/", ["format"]


def _pages(rows: Rows) -> Iterator[tuple[str, list[str]]]:
    known = {
        each["name"]
        for operations in _SCHEMA["paths"].values()
        for each in operations.get("get", {}).get("parameters", [])
    }
    names = sorted(known.union(_PAGE_NAMES))
    for address in pages(rows):
        yield address, names


def pages(rows: Rows) -> list[str]:
    number, workload = rows.submission, rows.workload
    return [
        *("/", "/submissions/", "/submissions/new/", f"/submissions/new/{rows.staged}/", f"/submissions/{number}/"),
        *(f"/submissions/{number}/report/", "/submissions/feed.atom", "/services/cassandra/feed.atom"),
        *("/services/", "/services/cassandra/", "/workloads/", f"/workloads/{workload}/", "/value/", "/compare/"),
        *(
            "/compare/grid/",
            "/compare/databases/",
            "/compare/fact/",
            "/coverage/",
            "/history/",
            "/scaling/",
            "/recommend/",
            "/recommend/sizes/",
            "/prices/",
            "/machines/",
            "/machines/aws/i4i.2xlarge/",
            "/machines/compare/",
            "/about/methodology/",
            "/terms/",
        ),
        *("/account/", f"/account/submissions/{number}/change/", f"/account/submissions/{number}/retract/"),
        *("/account/close/", "/account/clouds/", "/account/login/", "/account/signup/", "/account/2fa/"),
        *("/runs/", f"/runs/{rows.run}/", f"/runs/{rows.run}/live/", f"/runs/{rows.run}/confirm/"),
        *("/runs/new/", "/runs/new/types/"),
        *(f"/s/{rows.link}/", f"/s/{rows.link}/about/", "/data/", "/data/latest/submissions.csv.gz"),
        *(f"/embed/intervals-chart/submissions/{number}/", f"/embed/leaderboard/workloads/{workload}/"),
        *(f"/charts/intervals-chart.csv/submissions/{number}/", "/moderation/", "/moderation/queue/"),
        *("/oembed/", f"/submissions/{number}/badge.svg", f"/submissions/{number}/card.png", "/value/card.png"),
        *("/sitemap.xml", "/sitemap-results-1.xml", "/data/croissant.json", "/data/CITATION.cff"),
        *(f"/moderation/submissions/{number}/", f"/moderation/accounts/{rows.owner}/", "/ops/"),
        *(
            "/admin/",
            "/admin/submissions/submission/",
            "/admin/runners/run/",
            "/admin/auth/user/",
            "/healthz",
            "/readyz",
        ),
    ]


def _queries(names: list[str], number: int) -> Iterator[tuple[str, str]]:
    """The values go round, so that each name has others at each address."""
    at = number * 7
    for name in names:
        for step in range(_VALUES_OF_A_NAME if len(names) < _FEW else 1):
            text = TEXTS[(at + step) % len(TEXTS)]
            yield f"{name} = {text[:20]!a}", f"{name}={quote(text, safe='')}"
        at += _VALUES_OF_A_NAME
    for name, encoded in zip(names, ENCODED, strict=False):
        yield f"{name} = {encoded}", f"{name}={encoded}"
    first = names[0] if names else "x"
    yield "one name twice", f"{first}=1&{first}=2"
    yield "a name with brackets", f"{first}[]=1&{first}[x]=2&{first}__gt=1"
    yield "an odd name", "%00=1&%ff=2&=3&é=4"
    yield "two hundred values", "&".join(f"{first}={value}" for value in range(200))
    yield "a thousand names", "&".join(f"n{value}=1" for value in range(1_000))
    yield "nothing but signs", "&&==&?&#&;"
    yield "everything empty", "&".join(f"{name}=" for name in names)
