"""One change of a history: its figures, who acknowledged it for themselves, and what people know about it."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchsite.http.from_data import not_shared
from submissions.follows import addresses, detect, sentences
from submissions.follows.form import CommentForm
from submissions.ingest.secrets.mask import mask_text
from submissions.metrics import LATENCY_P99, THROUGHPUT
from submissions.models import Acknowledgement, ChangeComment, LevelChange, Submission, is_moderator

TEMPLATE = "submissions/follows/change.html"
METRICS = (THROUGHPUT.key, LATENCY_P99.key)
TOO_MANY = f"An account can write at most {ChangeComment.MOST_A_DAY} comments a day: please continue tomorrow."


@never_cache
@not_shared("comments are stored beside the data")
@require_http_methods(["GET", "HEAD", "POST"])
def level_change(request: HttpRequest, pk: int, metric: str) -> HttpResponse:
    """`pk` is the first result of the new level. Reading stores nothing: a change is stored when somebody needs it."""
    if metric not in METRICS:
        raise Http404
    first = get_object_or_404(Submission.objects.listed().select_related("workload"), pk=pk)
    change = detect.change_at(first, metric)
    if change is None:
        raise Http404("The history has no change at this result.")
    if request.method == "POST":
        return _act(request, change)
    return _page(request, change, CommentForm())


def _act(request: HttpRequest, change: LevelChange) -> HttpResponse:
    """`action`: acknowledge, forget, comment or hide."""
    if not request.user.is_authenticated:
        return redirect_to_login(change.get_absolute_url())
    user = request.user
    if change._state.adding:
        change = detect.stored(change)
    match request.POST.get("action"):
        case "acknowledge":
            Acknowledgement.objects.get_or_create(change=change, user=user)
        case "forget":
            Acknowledgement.objects.filter(change=change, user=user).delete()
        case "comment":
            form = CommentForm(request.POST)
            if not form.is_valid():
                return _page(request, change, form, status=400)
            day_ago = timezone.now() - timedelta(days=1)
            if ChangeComment.objects.filter(user=user, created_at__gt=day_ago).count() >= ChangeComment.MOST_A_DAY:
                form.add_error(None, TOO_MANY)
                return _page(request, change, form, status=429)
            text = mask_text(form.cleaned_data["text"])[: ChangeComment.MAX_TEXT]
            ChangeComment.objects.create(change=change, user=user, text=text)
        case "hide":
            _hide(request, change, user)
        case _:
            raise Http404
    return redirect(change)


def _hide(request: HttpRequest, change: LevelChange, user: User) -> None:
    """By its author, or by a moderator."""
    number = request.POST.get("comment", "")
    comments = change.comments.filter(pk=int(number) if number.isascii() and number.isdigit() else 0, hidden_at=None)
    if not is_moderator(user):
        comments = comments.filter(user=user)
    if comments.update(hidden_at=timezone.now()):
        messages.success(request, "The comment is removed.")


def _page(request: HttpRequest, change: LevelChange, form: CommentForm, status: int = 200) -> HttpResponse:
    user: Any = request.user
    is_stored = not change._state.adding
    comments = change.comments.public().select_related("user") if is_stored else []
    context = {
        "change": change,
        "finding": sentences.change_sentence(change),
        "metric": sentences.metric_name(change),
        "size": sentences.size(change),
        "levels": sentences.levels(change),
        "results": sentences.results(change),
        "history": addresses.change_in_history(change),
        "is_acknowledged": is_stored and change.acknowledgements.filter(user=user.pk).exists(),
        "comments": [(comment, comment.user_id == user.pk or is_moderator(user)) for comment in comments],
        "form": form,
    }
    return render(request, TEMPLATE, context, status=status)
