"""The addresses of the runs' API, below /api/v1/."""

from django.urls import path

from runners.api import logs, receipts, runs, schedules, series

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
    path("series/", series.SeriesList.as_view(), name="series_list"),
    path("series/estimate/", series.SeriesEstimate.as_view(), name="series_estimate"),
    path("series/<int:pk>/", series.SeriesDetail.as_view(), name="series_detail"),
    path("series/<int:pk>/cancel/", series.SeriesCancel.as_view(), name="series_cancel"),
    path("series/<int:pk>/again/", series.SeriesAgain.as_view(), name="series_again"),
    path("schedules/", schedules.ScheduleList.as_view(), name="schedules"),
    path("schedules/<int:pk>/", schedules.ScheduleDetail.as_view(), name="schedule"),
    path("schedules/<int:pk>/pause/", schedules.SchedulePause.as_view(), name="schedule_pause"),
    path("schedules/<int:pk>/resume/", schedules.ScheduleResume.as_view(), name="schedule_resume"),
]
