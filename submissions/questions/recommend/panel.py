"""The question and its answers as a part of a page: of its own, and of the first one."""

from functools import lru_cache, partial
from typing import Any

from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from submissions.api.forms import BadParameter
from submissions.choices import PricingModel
from submissions.formatting.charts import Chart
from submissions.formatting.names import provider_name, service_name
from submissions.formatting.p99_words import mean_instead_ms, p99_note
from submissions.formatting.text import join_and, trials_words
from submissions.ingest.document.titles import workload_labels
from submissions.models import Submission
from submissions.pricing.terms import PriceDay
from submissions.questions.boards.trust_filter import chips
from submissions.questions.recommend import sentences
from submissions.questions.recommend.answer import run_address
from submissions.questions.recommend.candidates import Candidate
from submissions.questions.recommend.chart import candidates_figure, marks
from submissions.questions.recommend.form import RecommendForm
from submissions.questions.recommend.input_range.query import range_of, result_of
from submissions.questions.recommend.input_range.sentences import range_words
from submissions.questions.recommend.month import sentences as month_words
from submissions.questions.recommend.month.bills import USUAL_ZONES
from submissions.questions.recommend.offers import Offers, offers
from submissions.questions.recommend.query import Answer, RecommendResult
from submissions.questions.recommend.ranking import sentences as candidate_words
from submissions.questions.recommend.ranking.estimates import Estimate
from submissions.questions.recommend.ranking.misses import misses
from submissions.questions.recommend.work import Work
from submissions.records.credits import credits_of_workloads

TABLE = "the table below has the ten best, its CSV all"
_MORE = (
    *("provider", "region", "basis", "prices", "prices_on", "workload", "trust"),
    *("zones", "replication_factor", "value_bytes", "backup"),
)
_TYPED = (  # stay to be corrected
    *("target_ops_s", "data_gib", "max_p99_ms", "budget_usd_month"),
    *("zones", "replication_factor", "value_bytes"),
)

_TEMPLATE = "submissions/questions/recommend/_panel.html"


def unasked(address: str) -> SafeString:
    """The panel while nothing is asked, for the page with this address."""
    return _unasked(offers(), address)


@lru_cache(4)
def _unasked(offered: Offers, address: str) -> SafeString:
    """New results seldom change what is offered."""
    return render_to_string(_TEMPLATE, {"fields": _fields(RecommendForm(QueryDict()), offered), "action": address})


def panel(params: QueryDict) -> tuple[dict[str, Any], int]:
    """The context of templates/submissions/questions/recommend/_panel.html, and the status of its page."""
    form = RecommendForm(params)
    fields = _fields(form, offers())
    if not form.is_valid():
        return {"fields": fields, "problems": form.errors}, 400
    context: dict[str, Any] = {"fields": fields, "is_asked": form.is_asked}
    if not form.is_asked:
        return context, 200
    try:
        result = result_of(form)
    except BadParameter as error:
        return {**context, "problems": error.problems}, 404 if error.is_missing else 400
    return {**context, **_answers(form, result)}, 200


def panel_charts(params: QueryDict) -> tuple[Chart, ...]:
    """Those of the panel; none where nothing is asked, or wrongly."""
    charts: tuple[Chart, ...] = panel(params)[0].get("charts", ())
    return charts


def _fields(form: RecommendForm, offered: Offers) -> dict[str, Any]:
    """What is chosen, as far as it is valid, and what can be."""
    state = {
        name: "" if name in form.errors and name not in _TYPED else form.data.get(name, "") for name in form.fields
    }
    if not form.data and offered.services:
        state["service"] = offered.services[0]
    state["backup"] = "true" if form["backup"].value() else ""  # of a checkbox
    services = [(slug, service_name(slug)) for slug in _with_chosen(offered.services, state["service"])]
    providers = _with_chosen(offered.providers, state["provider"])
    regions = [
        (join_and([provider_name(provider) for provider in providers]), [(name, name) for name in own])
        for providers, own in offered.regions
    ]
    return {
        "state": {
            **state,
            "basis": state["basis"] or PricingModel.ON_DEMAND.value,
            "prices": state["prices"] or PriceDay.TODAY.value,
        },
        "services": services,
        "works": Work.pairs(),
        "providers": [(slug, provider_name(slug)) for slug in providers],
        "regions": regions,
        "bases": PricingModel.pairs(),
        "days": PriceDay.pairs(),
        "today": timezone.now().date().isoformat(),
        "has_more": any(state[name] for name in _MORE),
    }


def _with_chosen(known: Any, chosen: str) -> list[str]:
    return [*known, *([chosen] if chosen and chosen not in known else [])]


def _answers(form: RecommendForm, result: RecommendResult) -> dict[str, Any]:
    return {
        "result": result,
        "finding": sentences.finding(result),
        "cards": [_card(answer, result) for answer in result.answers],
        "nearest": [_card(answer, result) for answer in result.nearest],
        "estimates": [_estimate(estimate) for estimate in result.estimates],
        "others": [
            {"other": other, "address": form.address(workload=other.workload.fingerprint)} for other in result.others
        ],
        "choosable": _choosable(result),
        "range_words": range_words(found) if (found := range_of(result)) else "",
        "spanning": sentences.spanning(result),
        "measure_next": sentences.measure_next(result),
        "run_address": run_address(result),
        "charts": _charts(result),
        "best": [_row(answer, result) for answer in result.best],
        "has_misses": any(misses(answer.candidate, result.params) for answer in result.best),
        "rejected": [_rejected(one, result) for one in result.rejected],
        "rejected_words": sentences.rejected_words(result),
        "chips": chips(result.trust_filter, partial(form.address)),
        "month": _month(form, result),
        "month_note": sentences.month_note(result.params),
        "api_address": f"{reverse('api:recommend')}{form.address()}",
        "sizes_address": _sizes_address(form, result),
    }


def _month(form: RecommendForm, result: RecommendResult) -> dict[str, Any] | None:
    """The bill of the first answer."""
    shown = next((answer.month for answer in result.answers), None)
    if shown is None:
        return None
    return {
        "bill": shown.month,
        "cluster": candidate_words.cluster_words(result.answers[0].row),
        "zones": month_words.zones_words(shown),
        "three_zones": month_words.three_zones_words(shown),
        "three_zones_address": form.address(zones=USUAL_ZONES),
        "not_included": "; ".join(shown.month.not_included),
    }


def _choosable(result: RecommendResult) -> list[tuple[str, str]]:
    shown = [result.workload, *(other.workload for other in result.others)]
    workloads = {each.fingerprint: each for each in shown if each}
    labels = workload_labels({fingerprint: each.canonical for fingerprint, each in workloads.items()})
    return [(fingerprint, labels[fingerprint] or each.title) for fingerprint, each in workloads.items()]


def _card(answer: Answer, result: RecommendResult) -> dict[str, Any]:
    row = answer.row
    return {
        "answer": answer,
        "row": row,
        "point": answer.candidate.point,
        "usd_per_month": answer.candidate.usd_per_month,
        "nodes": sentences.nodes_words(answer, result.params),
        "cost_missing": row.price_missing or (answer.month.month.missing if answer.month else ""),
        "kinds": sentences.kinds_words(answer.kinds),
        "cluster": candidate_words.cluster_words(row),
        "workload": row.workload,
        "workload_name": candidate_words.workload_name(row.workload.canonical),
        "p99": candidate_words.p99_words(answer.candidate.point),
        "p99_note": "the slowest operation" if answer.candidate.point.is_of_curve else p99_note(row),
        "mean_ms": None if answer.candidate.point.is_of_curve else mean_instead_ms(row),
        "one_machine_note": sentences.one_machine_note(answer),
        "data": candidate_words.capacity_words(answer.candidate.capacity),
        "at_limit": sentences.at_limit_words(answer, result.params),
        "when_measured": sentences.when_measured_words(answer),
        "price_words": sentences.price_words(answer),
        "load": candidate_words.load_words(answer.candidate),
        "age": sentences.age(row.measured_at, timezone.now()),
        "likelihood": sentences.likelihood_words(answer.likelihood, answer),
        "shortfall": candidate_words.shortfall(answer.candidate, result.params),
        "trials": trials_words(answer.candidate.point.trials or row.trials_count, row.averaged_over),
        "half_width": _half_width(row) if answer.candidate.point.is_peak else None,
    }


def _charts(result: RecommendResult) -> tuple[Chart, ...]:
    shown = marks(result)
    if not shown:
        return ()
    params = result.params
    budget = None if params.budget_usd_month is None else float(params.budget_usd_month)
    figure = candidates_figure(shown, target_ops_s=params.target_ops_s, budget_usd_month=budget)
    caveats = sentences.chart_caveats(result, len(shown))
    credits = credits_of_workloads({one.workload_id for one in result.considered})
    return (Chart("candidates", figure, sentences.chart_label(result), caveats, table=TABLE, credits=credits),)


def _row(answer: Answer, result: RecommendResult) -> dict[str, Any]:
    """Of the table of the best ones."""
    return {
        **_place(answer.candidate, result),
        "row": answer.row,
        "usd_per_month": answer.candidate.usd_per_month,
        "rate": answer.candidate.point.rate,
        "p99": candidate_words.p99_words(answer.candidate.point),
        "age": sentences.age(answer.row.measured_at, timezone.now()),
        "likelihood": sentences.short_likelihood(answer.likelihood, answer),
        "misses": candidate_words.reason(answer.candidate, result.params, None)
        if misses(answer.candidate, result.params)
        else "",
    }


def _rejected(one: Candidate, result: RecommendResult) -> dict[str, Any]:
    reason = candidate_words.reason(one, result.params, result.least_usd)
    return {**_place(one, result), "usd_per_month": one.usd_per_month, "rate": one.point.rate, "reason": reason}


def _place(one: Candidate, result: RecommendResult) -> dict[str, Any]:
    workload = result.workloads[one.workload_id]
    return {
        "address": reverse("submissions:detail", args=[one.point.pk]),
        "cluster": candidate_words.cluster_of(one),
        "workload": workload,
        "workload_name": candidate_words.workload_name(workload.canonical),
    }


def _half_width(row: Submission) -> float | None:
    """Of the interval, as a share of the mean."""
    mean, low, high = row.throughput_ops_s, row.throughput_low_ops_s, row.throughput_high_ops_s
    return None if not mean or low is None or high is None else (high - low) / 2 / mean


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {
        "estimate": estimate,
        "row": estimate.base,
        "usd_per_month": estimate.usd_per_month,
        "cluster": candidate_words.cluster_words(estimate.base, estimate.needed.node_count),
        "words": candidate_words.estimate_words(estimate),
        "data": candidate_words.capacity_words(estimate.capacity),
    }


def _sizes_address(form: RecommendForm, result: RecommendResult) -> str:
    """All sizes of the workload by cost; "" where no throughput is asked for."""
    params = result.params
    if params.target_ops_s is None or result.workload is None:
        return ""
    changes: dict[str, object] = dict.fromkeys(
        (
            *("service", "work", "budget_usd_month", "provider", "region", "value_bytes", "prices", "prices_on"),
            *("zones", "replication_factor", "backup"),
        ),
        "",
    )
    changes |= {"data_gib": "", "target_ops_s": params.target_ops_s}
    return f"{reverse('submissions:size')}{form.address(**changes, workload=result.workload.fingerprint)}"
