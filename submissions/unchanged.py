"""The addresses whose answers are made from what is stored alone: what is unchanged is not made again."""

from collections.abc import Collection, Mapping

from django.utils import timezone

from submissions.api.forms import FORMAT_PARAMETER
from submissions.api.parameters import PAGING
from submissions.load_curves.form import LimitForm
from submissions.models import LINK_KEY, state_of_request
from submissions.pricing.filters import PriceFilter
from submissions.pricing.search import PageForm
from submissions.pricing.terms import PriceDayForm, RepriceForm
from submissions.questions.compare.form import CompareForm, PairForm
from submissions.questions.databases.form import DatabasesForm
from submissions.questions.grid.form import GridForm
from submissions.questions.history.form import HistoryForm
from submissions.questions.leaderboard.form import LeaderboardForm
from submissions.questions.one_fact.form import OneFactForm
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.scaling.form import ScalingForm
from submissions.questions.sizing.form import SizingForm
from submissions.questions.value.form import ValueForm
from submissions.questions.workload.page import WorkloadListForm
from submissions.records.curves.percentile_curves import ScaleForm
from submissions.records.list.feed import IGNORED
from submissions.records.list.filters import SubmissionFilter
from submissions.search.form import SearchForm
from submissions.sharing.api import ChartForm

# The parameters that each address reads. An answer to a query with another one is not kept: nor is one with the key of
# an unlisted result.
_WINDOW = ("from", "to")
PAGES: Mapping[str, Collection[str]] = {
    "home": (*RecommendForm.base_fields, *PriceDayForm.base_fields),
    "list": (*SubmissionFilter.base_filters, "ordering", "cursor"),
    "columns": SubmissionFilter.base_filters,
    "recommend": RecommendForm.base_fields,
    "detail": (*LimitForm.base_fields, *RepriceForm.base_fields, *ScaleForm.base_fields, *_WINDOW),
    "classics": (),
    "services": (),
    "service": (),
    "workloads": WorkloadListForm.base_fields,
    "workload": LeaderboardForm.base_fields,
    "value": ValueForm.base_fields,
    "compare": (*CompareForm.base_fields, "with", *ScaleForm.base_fields, *_WINDOW),
    "databases": DatabasesForm.base_fields,
    "grid": GridForm.base_fields,
    "one_fact": OneFactForm.base_fields,
    "history": HistoryForm.base_fields,
    "scaling": ScalingForm.base_fields,
    "size": SizingForm.base_fields,
    "prices": (*PriceFilter.base_filters, *PageForm.base_fields),
    "search": SearchForm.base_fields,
    "methodology": (),
    "feed": (),
    "service_feed": (),
    "list_feed": (*SubmissionFilter.base_filters, *IGNORED),
    "history_feed": HistoryForm.base_fields,
    "data": (),
    "croissant": (),
    "data_citation": (),
    "sitemap": (),
    "sitemap_part": (),
}
API: Mapping[str, Collection[str]] = {
    "submission-list": (*SubmissionFilter.base_filters, *PAGING),
    "submission-detail": LimitForm.base_fields,
    "trial-list": PAGING,
    "host-list": (),
    "artifact-list": PAGING,
    "age": (),
    "bill": (),
    "moderation": PAGING,
    "compare": [name for name in PairForm.base_fields if name != LINK_KEY],
    "one-fact": OneFactForm.base_fields,
    "recommend": RecommendForm.base_fields,
    "scaling": ScalingForm.base_fields,
    "size": SizingForm.base_fields,
    "databases": DatabasesForm.base_fields,
    "grid": GridForm.base_fields,
    "history": HistoryForm.base_fields,
    "leaderboard": LeaderboardForm.base_fields,
    "price-list": (*PriceFilter.base_filters, *PAGING),
    "search": SearchForm.base_fields,
    "value": ValueForm.base_fields,
    "chart": ChartForm.base_fields,
    "index": (),
    "schema": (),
}
# All others that can be read, and why their answers may change without a change of what is stored.
NOT_BY_DATA = {
    "submissions": {
        "artifact": "a file is streamed",
        "dataset_file": "a file is streamed",
        "new": "forms",
        "preview": "an upload on its way",
        "batch": "an upload on its way",
        "batch-result": "an upload on its way",
        "moved_size": "a redirect",
        "account": "one's own account",
        "create_token": "one's own account",
        "revoke_all_tokens": "one's own account",
        "revoke_token": "one's own account",
        "close_account": "one's own account",
        "accept_invitation": "one's own account",
        "retract": "one's own account",
        "follows": "one's own account",
        "new_follow": "one's own account",
        "change_follow": "one's own account",
        "unsubscribe": "one's own account",
        "follow_feed": "one's own notices",
        "level_change": "comments are stored beside the data",
        "change": "one's own account",
        "short_link": "a redirect",
        "about_short_link": "short links are stored beside the data",
        "shorten": "takes forms only",
        "embed": "has a content security policy and caches of its own",
        "chart_numbers": "a redirect",
        "oembed": "has caches of its own",
        "card": "has caches of its own, and an ETag of its content",
        "badge": "has caches of its own, and an ETag of its content",
        "report": "a form",
        "moderation": "tells moderators how many reports wait",
        "moderation_queue": "for moderators",
        "moderation_decision": "for moderators",
        "moderation_account": "for moderators",
        "terms": "by settings only",
        "privacy": "by settings only",
        "security_txt": "names a day to come",
        "signing_keys": "keys are stored beside the data",
        "robots": "by settings only",
    },
    "api": {
        "submission-import": "takes files only",
        "submission-bulk": "takes rows only",
        "submission-retract": "takes orders only",
        "submission-report": "takes reports only",
        "upload-status": "an upload on its way",
        "artifact-download": "a file is streamed",
        "intervals": "a file is streamed",
        "bundle": "a file is streamed, with an ETag of its content",
        "key-list": "keys are stored beside the data",
        "follow-list": "one's own account",
        "follow-detail": "one's own account",
        "token-list": "one's own account",
        "token-detail": "one's own account",
        "token-current": "one's own account",
        "docs": "has no data",
        "console": "has no data",
    },
}

PARAMETERS: dict[str, Collection[str]] = {
    **{f"submissions:{name}": names for name, names in PAGES.items()},
    **{f"api:{name}": (*names, FORMAT_PARAMETER) for name, names in API.items()},
}


def state() -> str:
    """With the hour: some pages name a time until which something can be done, and prices grow old by the day."""
    return repr((state_of_request(), f"{timezone.now():%Y-%m-%dT%H}"))
