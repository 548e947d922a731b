"""The addresses of the result pages."""

from django.urls import path

from submissions.views import (
    about,
    account,
    compare,
    detail,
    home,
    listing,
    prices,
    services,
    upload,
    value,
)

app_name = "submissions"
urlpatterns = [
    path("", home.home, name="home"),
    path("submissions/", listing.submissions, name="list"),
    path("submissions/new/", upload.new, name="new"),
    path("submissions/new/<uuid:pk>/", upload.preview, name="preview"),
    path("submissions/<int:pk>/", detail.detail, name="detail"),
    path("submissions/<int:pk>/artifacts/<int:artifact>/", detail.download_artifact, name="artifact"),
    path("services/", services.services, name="services"),
    path("services/<slug:slug>/", services.service, name="service"),
    path("value/", value.value, name="value"),
    path("compare/", compare.compare, name="compare"),
    path("prices/", prices.prices, name="prices"),
    path("about/methodology/", about.methodology, name="methodology"),
    path("account/", account.account, name="account"),
    path("account/tokens/", account.create_token, name="create_token"),
    path("account/tokens/<slug:key>/revoke/", account.revoke_token, name="revoke_token"),
    path("account/submissions/<int:pk>/retract/", account.retract, name="retract"),
    path("robots.txt", about.robots, name="robots"),
]
