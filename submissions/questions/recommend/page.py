"""What to run, where, and what it costs; the address has the question."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from submissions.api.forms import redirect_to_api
from submissions.formatting.charts import shareable
from submissions.questions.recommend.panel import panel

TEMPLATE = "submissions/questions/recommend/page.html"


@shareable("What to run, where, and what it costs")
@require_safe
def recommend(request: HttpRequest) -> HttpResponse:
    if request.GET.get("format"):
        return redirect_to_api(request, "api:recommend")
    context, status = panel(request.GET)
    return render(request, TEMPLATE, context, status=status)
