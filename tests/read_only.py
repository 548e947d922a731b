"""Every address that a reader may open without an account: each with its parameters, of some results of a site.

`PAGES` has one for each view; a view that is in neither list is a gap that tests/submissions/test_costs.py names.
`VARIED` asks the same views other questions.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from django.conf import settings

# {workload}: a fingerprint; {one}, {other}: results; {sides}: s=2&s=1; {chart}: the address of a page
PAGES = {
    "submissions:home": "/",
    "submissions:list": "/submissions/",
    "submissions:detail": "/submissions/{one}/",
    "submissions:services": "/services/",
    "submissions:service": "/services/cassandra/",
    "submissions:workloads": "/workloads/",
    "submissions:classics": "/classics/",
    "submissions:workload": "/workloads/{workload}/",
    "submissions:value": "/value/?workload={workload}",
    "submissions:compare": "/compare/?{sides}",
    "submissions:grid": "/compare/grid/",
    "submissions:one_fact": "/compare/fact/",
    "submissions:history": "/history/?workload={workload}",
    "submissions:scaling": "/scaling/?workload={workload}",
    "submissions:databases": "/compare/databases/",
    "submissions:coverage": "/coverage/",
    "submissions:recommend": "/recommend/?service=cassandra&target_ops_s=50000&max_p99_ms=10",
    "submissions:size": "/recommend/sizes/?workload={workload}&target_ops_s=50000",
    "submissions:prices": "/prices/",
    "submissions:machines": "/machines/",
    "submissions:machine": "/machines/aws/m5.xlarge/",
    "submissions:compare_machines": "/machines/compare/?a=aws:m5.xlarge&b=gce:n2-standard-4",
    "submissions:search": "/search/?q=cassandra",
    "submissions:methodology": "/about/methodology/",
    "submissions:feed": "/submissions/feed.atom",
    "submissions:service_feed": "/services/cassandra/feed.atom",
    "submissions:list_feed": "/submissions/feed/?provider=aws",
    "submissions:history_feed": "/history/feed.atom?workload={workload}",
    "submissions:embed": "/embed/groups/value/?workload={workload}",
    "submissions:badge": "/submissions/{one}/badge.svg",
    "submissions:oembed": "/oembed/?url={site}/value/%3Fworkload%3D{workload}",
    "submissions:sitemap": "/sitemap.xml",
    "submissions:data": "/data/",
    "submissions:moderation": "/moderation/",
    "submissions:terms": "/terms/",
    "submissions:privacy": "/privacy/",
    "submissions:robots": "/robots.txt",
    "submissions:signing_keys": "/.well-known/benchsite-keys.pem",
    "runners:list": "/runs/",
    "runners:series_list": "/series/",
    "runners:series_new": "/series/new/",
    "api:index": "/api/v1/",
    "api:submission-list": "/api/v1/submissions/",
    "api:submission-detail": "/api/v1/submissions/{one}/",
    "api:trial-list": "/api/v1/submissions/{one}/trials/",
    "api:age": "/api/v1/submissions/{one}/age/",
    "api:host-list": "/api/v1/submissions/{one}/hosts/",
    "api:intervals": "/api/v1/submissions/{one}/intervals/",
    "api:bundle": "/api/v1/submissions/{one}/bundle/",
    "api:key-list": "/api/v1/keys/",
    "api:artifact-list": "/api/v1/submissions/{one}/artifacts/",
    "api:moderation": "/api/v1/moderation/",
    "api:compare": "/api/v1/compare/?a={one}&b={other}",
    "api:one-fact": "/api/v1/compare/fact/",
    "api:scaling": "/api/v1/scaling/?workload={workload}",
    "api:databases": "/api/v1/databases/",
    "api:coverage": "/api/v1/coverage/",
    "api:recommend": "/api/v1/recommend/?service=cassandra&target_ops_s=50000&max_p99_ms=10",
    "api:size": "/api/v1/size/?workload={workload}&target_ops_s=50000",
    "api:grid": "/api/v1/grid/",
    "api:history": "/api/v1/history/?workload={workload}",
    "api:leaderboard": "/api/v1/leaderboard/?workload={workload}",
    "api:price-list": "/api/v1/prices/",
    "api:machines": "/api/v1/machines/",
    "api:machine": "/api/v1/machines/aws/m5.xlarge/",
    "api:search": "/api/v1/search/?q=cassandra",
    "api:value": "/api/v1/value/?workload={workload}",
    "api:chart": "/api/v1/chart/?key=groups&page={chart}",
    "api:schema": "/api/v1/schema/",
    "api:docs": "/api/docs/",
    "api:console": "/api/docs/console/",
}

# Without a figure of a result.
STATIC = (
    "submissions:prices",
    "submissions:methodology",
    "submissions:data",
    "submissions:moderation",
    "submissions:terms",
    "submissions:privacy",
    "submissions:robots",
    "submissions:signing_keys",
    "submissions:sitemap",
    "runners:list",
    "runners:series_list",
    "runners:series_new",
    "api:index",
    "api:key-list",
    "api:moderation",
    "api:price-list",
    "api:schema",
    "api:docs",
    "api:console",
)

VARIED = (
    "/submissions/?provider=aws&operation=write",
    "/submissions/?service=cassandra&provider=gce&provider=azure",
    "/submissions/?workload={workload}",
    "/submissions/?ordering=-ops_per_usd",
    "/submissions/?ordering=node_count",
    "/submissions/?ordering=latency_p99_ms&latency_kind=service_time&max_p99_ms=20",
    "/services/scylladb/",
    "/value/",
    "/value/?workload={workload}&by=instance_type",
    "/value/?workload={workload}&by=jdk&max_p99_ms=20",
    "/value/?workload={workload}&by=disk&basis=as_measured",
    "/value/?workload={workload}&prices=today",
    "/value/?workload={workload}&trust=uploaded",
    "/workloads/{workload}/?by=provider",
    "/workloads/{workload}/?by=jdk&metric=latency_p99_ms",
    "/workloads/{workload}/?by=disk&trust=historical",
    "/compare/grid/?vary=provider",
    "/compare/grid/?vary=jdk&workload={workload}",
    "/scaling/",
    "/history/",
    "/?service=cassandra&target_ops_s=50000",
    "/recommend/",
    "/recommend/?service=cassandra&target_ops_s=9000000&budget_usd_month=100",
    "/recommend/?workload={workload}&basis=reserved_1y&trust=uploaded",
    "/recommend/sizes/?target_ops_s=200000",
    "/recommend/sizes/?equal_to={one}&max_p99_ms=50",
    "/search/",
    "/search/?q=google",
    "/search/?q=%23{one}",
    "/search/?q=nothing+has+these",
    "/api/v1/search/?q=gce",
    "/api/v1/value/?workload={workload}&by=jdk&basis=as_measured",
    "/api/v1/leaderboard/?workload={workload}&by=provider&metric=ops_per_usd",
    "/api/v1/leaderboard/?workload={workload}&by=jdk",
    "/api/v1/grid/?vary=disk_kind",
    "/api/v1/size/?target_ops_s=200000",
    "/api/v1/submissions/?format=csv&provider=gce",
)


def pages(ids: Sequence[int], workload: str) -> Iterator[tuple[str, str]]:
    """(name of the view, address), for results of a workload, the newest first."""
    for name, address in PAGES.items():
        yield name, _filled(address, ids, workload)


def with_figures(ids: Sequence[int], workload: str) -> list[str]:
    """The addresses of all pages and questions whose answers depend on results."""
    of_pages = [address for name, address in PAGES.items() if name not in STATIC]
    return [_filled(address, ids, workload) for address in (*of_pages, *VARIED)]


def _filled(address: str, ids: Sequence[int], workload: str) -> str:
    return address.format(
        workload=workload,
        one=ids[0],
        other=ids[-1],
        sides="&".join(f"s={pk}" for pk in ids),
        chart=quote(f"/value/?workload={workload}"),
        site=quote(settings.SITE_URL),
    )
