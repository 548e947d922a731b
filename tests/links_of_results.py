"""Addresses that show a result elsewhere than on its page, for tests/test_leaks.py: pictures, badges, frames, lists."""

from django.conf import settings

EXAMPLES = {
    "submissions:card": [
        "/card.png",
        "/submissions/{pk}/card.png",
        "/value/card.png",
        "/workloads/{workload}/card.png",
        "/services/{service}/card.png",
        "/compare/card.png?s={pk}&s={public}",
    ],
    "submissions:badge": ["/submissions/{pk}/badge.svg", "/submissions/{pk}/badge.svg?metric=p99"],
    "submissions:oembed": [
        f"/oembed/?url={settings.SITE_URL}/submissions/{{pk}}/",
        f"/oembed/?url={settings.SITE_URL}/value/%3Fworkload%3D{{workload}}",
        f"/oembed/?url={settings.SITE_URL}/services/{{service}}/",
    ],
    "api:bundle": ["/api/v1/submissions/{pk}/bundle/", "/api/v1/submissions/{public}/bundle/"],
    "runs_api:receipt": ["/api/v1/runs/{run}/receipt/"],
    "api:key-list": ["/api/v1/keys/"],
    "submissions:signing_keys": ["/.well-known/benchsite-keys.pem"],
    "submissions:sitemap": ["/sitemap.xml"],
    "submissions:sitemap_part": ["/sitemap-pages-1.xml", "/sitemap-workloads-1.xml", "/sitemap-results-1.xml"],
    "submissions:croissant": ["/data/croissant.json"],
    "submissions:data_citation": ["/data/CITATION.cff"],
    "runners:series_list": ["/series/"],
    "runners:series_new": ["/series/new/?like={series}"],
    "runners:series_detail": ["/series/{series}/"],
    "runners:series_live": ["/series/{series}/live/"],
    "runners:series_csv": ["/series/{series}/csv/"],
    "runners:schedules": ["/series/schedules/?run={run}"],
    "runs_api:series_list": ["/api/v1/series/"],
    "runs_api:series_detail": ["/api/v1/series/{series}/"],
}

# What shows an unlisted one to whoever has its key, which is the value of {key}.
BY_LINK = (
    "/submissions/{pk}/card.png?key={key}",
    "/api/v1/submissions/{pk}/bundle/?key={key}",
    "/submissions/{pk}/badge.svg?key={key}",
    f"/oembed/?url={settings.SITE_URL}/submissions/{{pk}}/%3Fkey%3D{{key}}",
)
