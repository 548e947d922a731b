"""The addresses of the site: the apps' own lists, the accounts and the admin."""

from django.contrib import admin
from django.urls import include, path

from benchsite.http import csp
from benchsite.ops.page import ops

urlpatterns = [
    # first: addresses are tried in this order, and no page begins with api/
    path("api/", include("submissions.api_urls")),
    path("api/v1/", include("runners.api.urls")),
    path("", include("submissions.urls")),
    path("", include("runners.urls")),
    path("account/", include("allauth.urls")),
    path("ops/", ops, name="ops"),
    path("csp-report/", csp.report),
    path("admin/", admin.site.urls),
]

handler400 = "benchsite.http.problems.bad_request"
handler404 = "benchsite.http.problems.not_found"
handler500 = "benchsite.http.problems.server_error"
