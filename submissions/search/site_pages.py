"""The pages of the site, for the search; what is said of each is searched too."""

from functools import cache
from typing import NamedTuple

from django.urls import Resolver404, resolve


class SitePage(NamedTuple):
    label: str
    address: str
    about: str


_PAGES = (
    SitePage("Recommend", "/recommend/", "What to run and where: the cheapest cluster for a load, its cost and sizes"),
    SitePage("Value", "/value/", "What a dollar buys: operations per dollar by provider, instance type, JDK or disk"),
    SitePage("Prices", "/prices/", "The dated price book of instance types, disks and traffic"),
    SitePage("Machines", "/machines/", "Every machine type: vCPUs, memory, CPU, local disks, price, results"),
    SitePage("Machines side by side", "/machines/compare/", "Two machine types compared: size, prices, results"),
    SitePage("All results", "/submissions/", "The list of every result, with filters and export as CSV or JSON"),
    SitePage("Databases", "/services/", "Every database with results"),
    SitePage("Workloads", "/workloads/", "Every workload, with its leaderboard and ranking"),
    SitePage("Compare", "/compare/", "Results side by side, and whether they differ"),
    SitePage(
        "Databases side by side", "/compare/databases/", "Databases compared under the same load: which is faster"
    ),
    SitePage("Grid", "/compare/grid/", "What a change does across two parameters"),
    SitePage("Effect of one setting", "/compare/fact/", "What it costs or gains, such as encryption or replication"),
    SitePage("Coverage", "/coverage/", "What was measured where, the gaps, and what a run of one would cost"),
    SitePage("Scaling", "/scaling/", "Whether twice the nodes do twice the work"),
    SitePage("History", "/history/", "When a workload became faster or slower: regressions over time"),
    SitePage("Classics", "/classics/", "Results of well-known articles, such as Netflix and Google"),
    SitePage("Upload", "/submissions/new/", "Submit a benchmark log"),
    SitePage("Runs", "/runs/", "Benchmarks that this site runs in the cloud"),
    SitePage("New run", "/runs/new/", "Plan and start a benchmark run"),
    SitePage(
        "Methodology", "/about/methodology/", "How figures, trust levels, flags, prices and intervals are computed"
    ),
    SitePage("Data", "/data/", "Download the whole dataset as Parquet or CSV"),
    SitePage("API", "/api/docs/", "The reference of the API, for scripts and programs"),
    SitePage("Moderation", "/moderation/", "What moderators decided, and why"),
    SitePage("Account", "/account/", "Your submissions, API tokens and settings: sign in or sign up"),
    SitePage("Terms", "/terms/", "The terms of use and the licence of uploads"),
    SitePage("Privacy", "/privacy/", "What is stored about you, and for how long: cookies and personal data"),
)


@cache
def site_pages() -> tuple[SitePage, ...]:
    """A page that this site does not have is left out."""
    return tuple(page for page in _PAGES if _exists(page.address))


def _exists(address: str) -> bool:
    try:
        resolve(address)
    except Resolver404:
        return False
    return True
