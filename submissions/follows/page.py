"""The pages of an account's follows: the list, a new one, and what ends or pauses one."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchsite.http.from_data import not_shared
from benchsite.http.refusals import Refusal
from submissions.api.throttles import seconds_to_wait
from submissions.follows import addresses, manage, sentences
from submissions.follows.form import FollowForm
from submissions.follows.scope import FILTERS, covered_words, narrowing
from submissions.models import Follow, FollowedChange, LevelChange, Notice, Submission, Workload
from submissions.questions.history.query import lines_among
from submissions.records.lines import line_of, points

LIST = "account/follows.html"
NEW = "account/follow.html"
_FIELDS = {"#/webhook_url": "webhook_url", "#/email": "by_email", "#/cluster": "cluster"}


@login_required
@never_cache
@require_safe
def follows(request: HttpRequest) -> HttpResponse:
    return _list(request)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The answer to the form is the only place that shows the secret of the webhook."""
    workload, initial = _followed(request)
    user = cast(User, request.user)
    filters = {name: request.GET.getlist(name) for name in FILTERS if request.GET.getlist(name)}
    lines = lines_among(points(None).of_workload(workload.fingerprint))
    no_mail = manage.why_no_mail(user)
    form = FollowForm(
        request.POST if request.method == "POST" else None,
        clusters=[(line.token, f"{line.name} ({line.points:,})") for line in lines],
        no_mail=no_mail,
        initial={"cluster": initial, "by_email": not no_mail, "has_feed": bool(no_mail)},
    )
    status = 200
    if request.method == "POST":
        status = 400
        if wait := seconds_to_wait(request):
            form.add_error(None, f"Too many at once: please try again in {wait} seconds.")
            status = 429
        elif form.is_valid():
            try:
                wish = manage.Wish(workload=workload.fingerprint, filters=filters, **form.cleaned_data)
                follow = manage.begin(user, wish)
            except Refusal as error:
                _add_faults(form, error)
            else:
                return _list(request, created=follow)
    context = {"form": form, "workload": workload, "filters": _words(filters)}
    return render(request, NEW, context, status=status)


@login_required
@require_POST
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """`action`: pause, resume, new-feed, no-feed or end."""
    follow = get_object_or_404(manage.own(cast(User, request.user)), pk=pk)
    match request.POST.get("action"):
        case "pause":
            manage.pause(follow)
        case "resume":
            manage.resume(follow)
        case "new-feed" | "no-feed" as action:
            manage.renew_feed(follow, has_feed=action == "new-feed")
        case "end":
            follow.delete()
            messages.success(request, "You no longer follow it.")
        case _:
            raise Http404
    return redirect("submissions:follows")


@csrf_exempt  # the token of the address is what permits it; a mail client sends nothing else
@never_cache
@not_shared("a form")
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """RFC 8058: a POST ends the mails at once. A GET asks first: programs open the links of mails."""
    number = addresses.followed_by(token)
    follow = Follow.objects.select_related("workload").filter(pk=number).first() if number is not None else None
    if follow is None:
        return render(request, "account/unsubscribe.html", {"is_gone": True}, status=410)
    if request.method == "POST":
        manage.end_mails(follow.pk)
    context = {"is_done": request.method == "POST" or not follow.by_email}
    return render(request, "account/unsubscribe.html", context)


def _followed(request: HttpRequest) -> tuple[Workload, str]:
    """The workload, and the token of the cluster, that the address names; or those of the result `like`."""
    if like := request.GET.get("like", ""):
        rows = Submission.objects.listed().select_related("workload")
        submission = get_object_or_404(rows, pk=int(like) if like.isascii() and like.isdigit() else 0)
        return submission.workload, line_of(submission).token
    workload = Workload.objects.open().by_fingerprint(request.GET.get("workload", "")[:16])
    if workload is None:
        raise Http404("There is no such workload.")
    return workload, request.GET.get("cluster", "")[:12]


def _words(filters: dict[str, list[str]]) -> list[str]:
    try:
        return covered_words(narrowing(filters))
    except Refusal as error:
        raise Http404(str(error)) from error


def _list(request: HttpRequest, created: Follow | None = None) -> HttpResponse:
    newest = Notice.objects.order_by("follow_id", "-pk").distinct("follow_id")
    own = manage.own(cast(User, request.user)).prefetch_related(Prefetch("notices", newest, to_attr="newest"))
    open_workloads = set(Workload.objects.open().filter(follows__user=request.user.pk).values_list("pk", flat=True))
    shown = [follow for follow in own if follow.workload_id in open_workloads]
    changes = _changes_of([notice for follow in shown for notice in follow.newest])
    context: dict[str, Any] = {
        "rows": [_row(follow, changes) for follow in shown],
        "hidden": [follow for follow in own if follow.workload_id not in open_workloads],
        "most": Follow.MOST_PER_ACCOUNT,
    }
    if created:
        context["created"] = sentences.scope_name(created)
        context["secret"] = addresses.webhook_secret(created) if created.webhook_url else None
    return render(request, LIST, context)


def _changes_of(notices: Sequence[Notice]) -> dict[int, list[LevelChange]]:
    """By the number of the notice, those that can still be seen, the newest first; one query."""
    rows = FollowedChange.objects.filter(notice__in=notices, change__in=LevelChange.objects.seen())
    found: dict[int, list[LevelChange]] = {}
    for row in rows.select_related("change__workload").order_by("-change__at", "-change"):
        found.setdefault(row.notice_id or 0, []).append(row.change)
    return found


def _row(follow: Follow, changes_of: Mapping[int, Sequence[LevelChange]]) -> dict[str, Any]:
    notice: Notice | None = next(iter(follow.newest), None)  # type: ignore[attr-defined] # prefetched
    changes = changes_of.get(notice.pk, ()) if notice else ()
    lines = [sentences.change_sentence(change) for change in changes]
    if notice and notice.quiet_since:
        days = (notice.created_at - notice.quiet_since).days
        lines = [sentences.quiet_sentence(follow, notice.quiet_since, days)]
    return {
        "follow": follow,
        "history": addresses.history_address(follow),
        "details": sentences.scope_details(follow),
        "channels": sentences.channels(follow),
        "conditions": sentences.conditions(follow),
        "feed": addresses.on_site(addresses.feed_address(follow)) if follow.feed_key else "",
        "state": sentences.state(follow),
        "last_at": notice.created_at if notice else None,
        "last": sentences.subject(lines) if lines else "",
        "last_address": changes[0].get_absolute_url() if changes else "",
    }


def _add_faults(form: FollowForm, error: Refusal) -> None:
    for fault in error.faults:
        form.add_error(_FIELDS.get(fault.pointer), f"{fault.detail[:1].upper()}{fault.detail[1:]}.")
