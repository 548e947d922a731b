"""The price book: what is asked for a machine or a disk on a day, and the history of one price."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.price_search import PriceForm, history, providers, search


@require_safe
def prices(request: HttpRequest) -> HttpResponse:
    form = PriceForm(request.GET)
    context = {"form": form, "providers": providers()}
    if not form.is_valid():
        return render(request, "submissions/prices.html", context, status=400)
    asked = form.cleaned_data
    context["page"] = search(asked)
    context["history"] = history(asked)
    context["query"] = form.query()
    return render(request, "submissions/prices.html", context)
