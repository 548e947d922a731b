"""The addresses of the runs' API, below /api/v1/."""

from django.urls import path

from runners.api import logs, receipts, runs

app_name = "runs_api"
urlpatterns = [
    path("runs/", runs.RunList.as_view(), name="list"),
    path("runs/estimate/", runs.RunEstimate.as_view(), name="estimate"),
    path("runs/<int:pk>/", runs.RunDetail.as_view(), name="detail"),
    path("runs/<int:pk>/logs/", logs.RunLogs.as_view(), name="logs"),
    path("runs/<int:pk>/logs/<int:output>/", logs.RunLog.as_view(), name="log"),
    path("runs/<int:pk>/receipt/", receipts.RunReceipt.as_view(), name="receipt"),
    path("runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="cancel"),
    path("runs/<int:pk>/submit/", runs.RunSubmitAgain.as_view(), name="submit_again"),
]
