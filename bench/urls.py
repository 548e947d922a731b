"""The site's addresses and a view that does nothing: what a request costs before we have done anything."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def floor(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


urlpatterns = [path("bench/floor/", floor), path("", include("benchsite.urls"))]
