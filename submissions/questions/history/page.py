"""Submissions of one workload on equal clusters over time, with change points; the state is the address."""

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from submissions.choices import LatencyKind
from submissions.formatting.csv import cell as safe_cell
from submissions.models import Submission
from submissions.questions.history import query as history_queries
from submissions.questions.history import view as history_page
from submissions.questions.history.query import Cluster
from submissions.questions.history.view import History
from submissions.questions.workload import choice as workload_choice
from submissions.questions.workload.choice import WorkloadChoice

FORMATS = ("csv", "json")
MAX_ID = 2**63 - 1
_KINDS = [pair for pair in LatencyKind.pairs() if pair[0] != LatencyKind.UNKNOWN]


class HistoryForm(forms.Form):
    """Reads the address; the template writes the fields. `like` is a submission whose history is asked for."""

    workload = forms.CharField(required=False, max_length=16)
    cluster = forms.CharField(required=False, max_length=12)
    latency_kind = forms.ChoiceField(required=False, choices=_KINDS)
    like = forms.IntegerField(required=False, min_value=1, max_value=MAX_ID)
    format = forms.ChoiceField(required=False, choices=[(name, name) for name in FORMATS])


@require_safe
def history(request: HttpRequest) -> HttpResponse:
    form = HistoryForm(request.GET)
    if not form.is_valid():
        return render(request, "submissions/questions/history/page.html", {"problems": form.errors}, status=400)
    asked = _with_like(form.cleaned_data)
    offered = history_queries.workloads()
    chosen = workload_choice.chosen(asked["workload"], offered, Submission.objects.with_rate())
    clusters = history_queries.clusters(chosen.fingerprint) if chosen else []
    cluster = _cluster(asked["cluster"], clusters)
    if chosen is None or cluster is None:
        workloads = workload_choice.with_chosen(offered, chosen)
        return render(request, "submissions/questions/history/page.html", {"chosen": chosen, "workloads": workloads})
    found = history_page.history(
        cluster,
        history_queries.points(chosen.fingerprint, cluster),
        history_queries.left_out(chosen.fingerprint, cluster),
        LatencyKind(asked["latency_kind"]) if asked["latency_kind"] else None,
    )
    if asked["format"] == "csv":
        return _csv(found)
    if asked["format"] == "json":
        return JsonResponse(_json(chosen, found))
    state = {"workload": chosen.fingerprint, "cluster": cluster.token, "latency_kind": asked["latency_kind"]}
    context = {**_context(found, state), "chosen": chosen, "clusters": clusters}
    workloads = workload_choice.with_chosen(offered, chosen)
    return render(request, "submissions/questions/history/page.html", {**context, "workloads": workloads})


def _with_like(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Workload and cluster of the submission that `like` names; one query where it is given."""
    if asked["like"] is None:
        return dict(asked)
    like = Submission.objects.listed().filter(pk=asked["like"]).select_related("workload").first()
    if like is None:
        raise Http404("There is no such submission, or it was retracted.")
    return {
        **asked,
        "workload": like.workload.fingerprint,
        "cluster": history_queries.cluster_of(like).token,
    }


def _cluster(token: str, clusters: Sequence[Cluster]) -> Cluster | None:
    """The asked one, else that with the most points. Raises Http404 for one without points."""
    if not token:
        return clusters[0] if clusters else None
    for cluster in clusters:
        if cluster.token == token:
            return cluster
    raise Http404("No dated measurement of this workload ran on such a cluster.")


def _context(found: History, state: Mapping[str, str]) -> dict[str, Any]:
    address = f"?{urlencode({name: value for name, value in state.items() if value})}"
    return {
        "found": found,
        "state": state,
        "address": address,
        "csv_address": f"{address}&format=csv",
        "json_address": f"{address}&format=json",
        "finding": history_page.finding(found),
        "panels": history_page.panels(found),
        "notes": history_page.notes(found),
        "table": history_page.table(found),
        "kind_choices": _KINDS,
    }


def _csv(found: History) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="history.csv"'
    writer = csv.DictWriter(response, fieldnames=history_page.FIELDS)
    writer.writeheader()
    writer.writerows({name: safe_cell(value) for name, value in row.items()} for row in history_page.records(found))
    return response


def _json(chosen: WorkloadChoice, found: History) -> dict[str, Any]:
    return {
        "workload": chosen.fingerprint,
        "workload_title": chosen.title,
        "cluster": dict(zip(history_queries.CLUSTER, found.cluster.facts, strict=True)),
        "finding": history_page.finding(found),
        "points": history_page.records(found),
        "latency_kind": found.latency_kind.value,
        "throughput_changes": history_page.changes_as_json(found.throughput),
        "p99_changes": history_page.changes_as_json(found.latency),
    }
