"""The addresses of the runs' pages."""

from django.urls import path

from runners.views import clouds, first_run, new, pages, schedules, series

app_name = "runners"
urlpatterns = [
    path("runs/", pages.runs, name="list"),
    path("runs/new/", new.new, name="new"),
    path("runs/new/fields/", new.fields, name="fields"),
    path("runs/new/types/", new.types, name="types"),
    path("runs/new/prepare/", new.prepare, name="prepare"),
    path("runs/new/here/", first_run.measure_here, name="measure_here"),
    path("runs/new/estimate/", new.live_estimate, name="estimate"),
    path("runs/<int:pk>/", pages.detail, name="detail"),
    path("runs/<int:pk>/live/", pages.live, name="live"),
    path("runs/<int:pk>/confirm/", new.confirm, name="confirm"),
    path("runs/<int:pk>/cancel/", pages.cancel, name="cancel"),
    path("runs/<int:pk>/submit/", pages.submit_again, name="submit_again"),
    path("series/", series.series_list, name="series_list"),
    path("series/new/", series.new, name="series_new"),
    path("series/schedules/", schedules.schedules, name="schedules"),
    path("series/schedules/<int:pk>/", schedules.change, name="schedule_change"),
    path("series/<int:pk>/", series.detail, name="series_detail"),
    path("series/<int:pk>/live/", series.live, name="series_live"),
    path("series/<int:pk>/csv/", series.csv, name="series_csv"),
    path("series/<int:pk>/cancel/", series.cancel, name="series_cancel"),
    path("series/<int:pk>/again/", series.again, name="series_again"),
    path("account/clouds/", clouds.clouds, name="clouds"),
    path("account/clouds/<int:pk>/remove/", clouds.remove, name="remove_cloud"),
]
