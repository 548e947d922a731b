"""The addresses of the result pages."""

from django.urls import path

from submissions import about, sitemap
from submissions.accounts import change
from submissions.accounts import page as account
from submissions.bundles.api import keys_file
from submissions.dataset import page as data
from submissions.follows import change_page
from submissions.follows import feeds as follow_feeds
from submissions.follows import page as follows
from submissions.home import page as home
from submissions.machines import compare_page as machine_comparison
from submissions.machines import page as machines
from submissions.moderation import page as moderation
from submissions.pricing.machines import page as prices
from submissions.questions.compare import page as compare
from submissions.questions.coverage import page as coverage
from submissions.questions.databases import page as databases
from submissions.questions.grid import page as grid
from submissions.questions.history import page as history
from submissions.questions.leaderboard import page as leaderboard
from submissions.questions.one_fact import page as one_fact
from submissions.questions.recommend import page as recommend
from submissions.questions.scaling import page as scaling
from submissions.questions.sizing import page as size
from submissions.questions.value import page as value
from submissions.questions.workload import page as workloads
from submissions.records import classics, feeds
from submissions.records.databases import services
from submissions.records.detail import page as detail
from submissions.records.list import feed as list_feeds
from submissions.records.list import page as listing
from submissions.search import page as search
from submissions.sharing import badge, card, embed, oembed
from submissions.sharing import page as share
from submissions.upload import page as upload
from submissions.upload.batch import page
from submissions.upload.outcome import page as outcome_page

app_name = "submissions"
urlpatterns = [
    path("", home.home, name="home"),
    path("submissions/", listing.submissions, name="list"),
    path("submissions/new/", upload.new, name="new"),
    path("submissions/new/<uuid:pk>/", upload.preview, name="preview"),
    path("submissions/new/<uuid:pk>/published/", outcome_page.outcome, name="outcome"),
    path("submissions/new/many/<uuid:pk>/", page.review, name="batch"),
    path("submissions/new/many/<uuid:pk>/<int:number>/", page.result_details, name="batch-result"),
    path("submissions/<int:pk>/", detail.detail, name="detail"),
    path("submissions/<int:pk>/artifacts/<int:artifact>/", detail.download_artifact, name="artifact"),
    path("services/", services.services, name="services"),
    path("services/<slug:slug>/", services.service, name="service"),
    path("classics/", classics.classics, name="classics"),
    path("workloads/", workloads.workloads, name="workloads"),
    path("workloads/<slug:fingerprint>/", leaderboard.workload, name="workload"),
    path("value/", value.value, name="value"),
    path("compare/", compare.compare, name="compare"),
    path("compare/databases/", databases.databases, name="databases"),
    path("coverage/", coverage.coverage, name="coverage"),
    path("compare/grid/", grid.grid, name="grid"),
    path("compare/fact/", one_fact.one_fact, name="one_fact"),
    path("history/", history.history, name="history"),
    path("history/feed.atom", follow_feeds.history_feed, name="history_feed"),
    path("history/changes/<int:pk>/<slug:metric>/", change_page.level_change, name="level_change"),
    path("scaling/", scaling.scaling, name="scaling"),
    path("recommend/", recommend.recommend, name="recommend"),
    path("recommend/sizes/", size.size, name="size"),
    path("size/", size.moved, name="moved_size"),
    path("prices/", prices.prices, name="prices"),
    path("machines/", machines.machines, name="machines"),
    path("machines/compare/", machine_comparison.compare, name="compare_machines"),
    path("machines/<str:provider>/<str:name>/", machines.machine, name="machine"),
    path("search/", search.search, name="search"),
    path("about/methodology/", about.methodology, name="methodology"),
    path("account/", account.account, name="account"),
    path("account/tokens/", account.create_token, name="create_token"),
    path("account/tokens/revoke/", account.revoke_all_tokens, name="revoke_all_tokens"),
    path("account/close/", account.close_account, name="close_account"),
    path("account/invitation/<slug:key>/", account.accept_invitation, name="accept_invitation"),
    path("account/tokens/<slug:key>/revoke/", account.revoke_token, name="revoke_token"),
    path("account/submissions/<int:pk>/retract/", account.retract, name="retract"),
    path("account/submissions/<int:pk>/change/", change.change, name="change"),
    path("account/follows/", follows.follows, name="follows"),
    path("account/follows/new/", follows.new, name="new_follow"),
    path("account/follows/<int:pk>/", follows.change, name="change_follow"),
    path("follows/unsubscribe/<str:token>/", follows.unsubscribe, name="unsubscribe"),
    path("follows/<slug:key>/feed.atom", follow_feeds.follow_feed, name="follow_feed"),
    path("submissions/feed/", list_feeds.list_feed, name="list_feed"),
    path("submissions/feed.atom", feeds.feed, name="feed"),
    path("services/<slug:slug>/feed.atom", feeds.feed, name="service_feed"),
    path("s/", share.shorten, name="shorten"),
    path("s/<slug:key>/", share.short_link, name="short_link"),
    path("s/<slug:key>/about/", share.about_short_link, name="about_short_link"),
    path("embed/<slug:key>/", embed.embed, name="embed"),
    path("embed/<slug:key>/<path:page>", embed.embed, name="embed"),
    path("oembed/", oembed.oembed, name="oembed"),
    path("submissions/<int:pk>/badge.svg", badge.badge, name="badge"),
    path("charts/<slug:key>.<str:extension>/", embed.numbers, name="chart_numbers"),
    path("charts/<slug:key>.<str:extension>/<path:page>", embed.numbers, name="chart_numbers"),
    path("data/", data.data, name="data"),
    path("data/croissant.json", data.croissant, name="croissant"),
    path("data/CITATION.cff", data.citation, name="data_citation"),
    path("data/<slug:stamp>/<path:name>", data.download, name="dataset_file"),
    path("submissions/<int:pk>/report/", moderation.report_submission, name="report"),
    path("moderation/", moderation.log, name="moderation"),
    path("moderation/queue/", moderation.waiting, name="moderation_queue"),
    path("moderation/submissions/<int:pk>/", moderation.decision, name="moderation_decision"),
    path("moderation/accounts/<int:pk>/", moderation.account, name="moderation_account"),
    path("terms/", about.terms, name="terms"),
    path("privacy/", about.privacy, name="privacy"),
    path(".well-known/benchsite-keys.pem", keys_file, name="signing_keys"),
    path(".well-known/security.txt", about.security_txt, name="security_txt"),
    path("robots.txt", about.robots, name="robots"),
    path("sitemap.xml", sitemap.index, name="sitemap"),
    path("sitemap-<slug:section>-<int:number>.xml", sitemap.part, name="sitemap_part"),
    path("card.png", card.card, name="card"),
    path("<path:page>card.png", card.card, name="card"),
]
