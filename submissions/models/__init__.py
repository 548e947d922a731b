"""The database of the results; every module here is one group of tables."""

from submissions.models.accounts.invitation import Invitation
from submissions.models.accounts.token import ApiToken
from submissions.models.accounts.usage import AccountUsage
from submissions.models.aggregate import (
    HAS_SEVERAL,
    NEWEST_FIRST,
    Aggregate,
    QueuedChange,
    SiteCount,
    WorkloadFigures,
)
from submissions.models.compiled import CompiledQuery, given_ids, ids_in
from submissions.models.dataset import Dataset
from submissions.models.fact_column import field_of, has_several_values, is_number, is_whole
from submissions.models.follow import (
    Acknowledgement,
    ChangeComment,
    Follow,
    FollowedChange,
    LevelChange,
    Notice,
    WatchedWorkload,
)
from submissions.models.moderation import ModerationDecision, Report
from submissions.models.pack_entry import PackEntry, RemovedPack
from submissions.models.price import (
    InstanceType,
    Price,
    PriceLoad,
    PriceQuerySet,
    priced_by_the_hour,
    priced_places,
)
from submissions.models.results.artifact import Artifact, Upload
from submissions.models.results.change import Change
from submissions.models.results.cluster import NodeGroup, has_mixed_machines
from submissions.models.results.interval_curves import IntervalCurves
from submissions.models.results.load_point import IS_CURVE, LoadPoint, has_p99_of, keeps_p99, rate_at
from submissions.models.results.publication import LINK_KEY, PUBLICATION_FIELDS, is_linked, is_public, new_link_key
from submissions.models.results.reproduction import Reproduction
from submissions.models.results.submission import (
    HAS_RATE,
    IS_EXCLUDED,
    IS_PRICE_OFF,
    IS_THROTTLED,
    IS_UNPRICED,
    IS_UNRANKED,
    IS_UNRELIABLE,
    MAX_ID,
    Submission,
    SubmissionQuerySet,
    address_of,
    filter_of_trust,
    has_proven,
    is_at_rate,
    is_moderator,
    is_published,
)
from submissions.models.results.trial import Trial
from submissions.models.results.workload import Workload, open_workload, title_words
from submissions.models.search_entry import SearchEntry, fill_search
from submissions.models.short_link import ShortLink
from submissions.models.signing_key import SigningKey
from submissions.models.versions.data_version import DataState, DataVersion, data_state
from submissions.models.versions.derivation import Derivation
from submissions.models.versions.request_state import known_state, refreshed_workloads, versions_of_request

__all__ = [
    "HAS_RATE",
    "HAS_SEVERAL",
    "IS_CURVE",
    "IS_EXCLUDED",
    "IS_PRICE_OFF",
    "IS_THROTTLED",
    "IS_UNPRICED",
    "IS_UNRANKED",
    "IS_UNRELIABLE",
    "LINK_KEY",
    "MAX_ID",
    "NEWEST_FIRST",
    "PUBLICATION_FIELDS",
    "AccountUsage",
    "Acknowledgement",
    "Aggregate",
    "ApiToken",
    "Artifact",
    "Change",
    "ChangeComment",
    "CompiledQuery",
    "DataState",
    "DataVersion",
    "Dataset",
    "Derivation",
    "Follow",
    "FollowedChange",
    "InstanceType",
    "IntervalCurves",
    "Invitation",
    "LevelChange",
    "LoadPoint",
    "ModerationDecision",
    "NodeGroup",
    "Notice",
    "PackEntry",
    "Price",
    "PriceLoad",
    "PriceQuerySet",
    "QueuedChange",
    "RemovedPack",
    "Report",
    "Reproduction",
    "SearchEntry",
    "ShortLink",
    "SigningKey",
    "SiteCount",
    "Submission",
    "SubmissionQuerySet",
    "Trial",
    "Upload",
    "WatchedWorkload",
    "Workload",
    "WorkloadFigures",
    "address_of",
    "data_state",
    "field_of",
    "fill_search",
    "filter_of_trust",
    "given_ids",
    "has_mixed_machines",
    "has_p99_of",
    "has_proven",
    "has_several_values",
    "ids_in",
    "is_at_rate",
    "is_linked",
    "is_moderator",
    "is_number",
    "is_public",
    "is_published",
    "is_whole",
    "keeps_p99",
    "known_state",
    "new_link_key",
    "open_workload",
    "priced_by_the_hour",
    "priced_places",
    "rate_at",
    "refreshed_workloads",
    "title_words",
    "versions_of_request",
]
