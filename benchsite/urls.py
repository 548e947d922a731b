"""The addresses of the site: the apps' own lists, the accounts and the admin."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("account/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
