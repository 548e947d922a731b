"""The price book: what is asked for a machine or a disk on a day, and the history of one price."""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.formatting.csv import csv_response
from submissions.pricing.search import COLUMNS, PriceForm, export, history, providers, search


@require_safe
def prices(request: HttpRequest) -> HttpResponseBase:
    form = PriceForm(request.GET)
    context = {"form": form, "providers": providers()}
    if not form.is_valid():
        return render(request, "submissions/pricing/page.html", context, status=400)
    asked = form.cleaned_data
    if asked["format"]:
        return _export(asked)
    context["page"] = search(asked)
    context["history"] = history(asked)
    context["query"] = form.query()
    return render(request, "submissions/pricing/page.html", context)


def _export(asked: dict[str, Any]) -> HttpResponseBase:
    if asked["format"] == "csv":
        return csv_response(COLUMNS, export(asked), "prices.csv")
    return JsonResponse({"results": [dict(zip(COLUMNS, row, strict=True)) for row in export(asked)]})
