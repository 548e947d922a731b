"""The addresses of the API, below /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularSwaggerSplitView

from submissions.accounts import api as tokens
from submissions.api.index import Index, Schema
from submissions.api.reference import page as reference
from submissions.bundles.api import Bundle, KeyList
from submissions.follows import api as follows
from submissions.machines import api as machines
from submissions.moderation.api import ModerationLog, ReportSubmission
from submissions.pricing.book.api import PriceList
from submissions.questions.compare import api as compare
from submissions.questions.coverage import api as coverage
from submissions.questions.databases import api as databases
from submissions.questions.grid import api as grid
from submissions.questions.history import api as history
from submissions.questions.leaderboard import api as leaderboard
from submissions.questions.one_fact import api as one_fact
from submissions.questions.recommend import api as recommend
from submissions.questions.scaling import api as scaling
from submissions.questions.sizing import api as sizing
from submissions.questions.value import api as value
from submissions.records.api import age, hosts, submissions
from submissions.search.api import SearchView
from submissions.sharing.api import ChartView
from submissions.upload.api.bulk import BulkImport
from submissions.upload.api.import_logs import LogImport, UploadStatus
from submissions.upload.api.submit import SubmissionCollection

app_name = "api"
urlpatterns = [
    path("v1/", Index.as_view(), name="index"),
    path("v1/submissions/", SubmissionCollection.as_view(), name="submission-list"),
    path("v1/submissions/import/", LogImport.as_view(), name="submission-import"),
    path("v1/submissions/bulk/", BulkImport.as_view(), name="submission-bulk"),
    path("v1/submissions/<int:pk>/", submissions.SubmissionDetail.as_view(), name="submission-detail"),
    path("v1/submissions/<int:pk>/trials/", submissions.TrialList.as_view(), name="trial-list"),
    path("v1/submissions/<int:pk>/hosts/", hosts.HostList.as_view(), name="host-list"),
    path("v1/submissions/<int:pk>/intervals/", submissions.IntervalSeries.as_view(), name="intervals"),
    path(
        "v1/submissions/<int:pk>/artifacts/",
        submissions.ArtifactList.as_view(),
        name="artifact-list",
    ),
    path(
        "v1/submissions/<int:pk>/artifacts/<int:artifact>/",
        submissions.download,
        name="artifact-download",
    ),
    path("v1/submissions/<int:pk>/age/", age.AgeOfSubmission.as_view(), name="age"),
    path("v1/submissions/<int:pk>/bundle/", Bundle.as_view(), name="bundle"),
    path("v1/keys/", KeyList.as_view(), name="key-list"),
    path("v1/submissions/<int:pk>/bill/", submissions.TestBill.as_view(), name="bill"),
    path(
        "v1/submissions/<int:pk>/retract/",
        submissions.Retraction.as_view(),
        name="submission-retract",
    ),
    path("v1/submissions/<int:pk>/report/", ReportSubmission.as_view(), name="submission-report"),
    path("v1/moderation/", ModerationLog.as_view(), name="moderation"),
    path("v1/uploads/<uuid:pk>/", UploadStatus.as_view(), name="upload-status"),
    path("v1/compare/", compare.Compare.as_view(), name="compare"),
    path("v1/compare/fact/", one_fact.OneFactView.as_view(), name="one-fact"),
    path("v1/coverage/", coverage.Coverage.as_view(), name="coverage"),
    path("v1/databases/", databases.Databases.as_view(), name="databases"),
    path("v1/scaling/", scaling.Scaling.as_view(), name="scaling"),
    path("v1/recommend/", recommend.Recommend.as_view(), name="recommend"),
    path("v1/size/", sizing.Sizing.as_view(), name="size"),
    path("v1/grid/", grid.GridView.as_view(), name="grid"),
    path("v1/history/", history.HistoryView.as_view(), name="history"),
    path("v1/leaderboard/", leaderboard.LeaderboardView.as_view(), name="leaderboard"),
    path("v1/prices/", PriceList.as_view(), name="price-list"),
    path("v1/machines/", machines.MachinesView.as_view(), name="machines"),
    path("v1/machines/<str:provider>/<str:name>/", machines.MachineView.as_view(), name="machine"),
    path("v1/search/", SearchView.as_view(), name="search"),
    path("v1/value/", value.ValueView.as_view(), name="value"),
    path("v1/chart/", ChartView.as_view(), name="chart"),
    path("v1/follows/", follows.FollowList.as_view(), name="follow-list"),
    path("v1/follows/<int:pk>/", follows.FollowDetail.as_view(), name="follow-detail"),
    path("v1/tokens/", tokens.TokenList.as_view(), name="token-list"),
    path("v1/tokens/current/", tokens.CurrentToken.as_view(), name="token-current"),
    path("v1/tokens/<str:key>/", tokens.TokenDetail.as_view(), name="token-detail"),
    path("v1/schema/", Schema.as_view(), name="schema"),
    path("docs/", reference.reference, name="docs"),
    path(
        "docs/console/",
        SpectacularSwaggerSplitView.as_view(url_name="api:schema", template_name="api/console.html"),
        name="console",
    ),
]
