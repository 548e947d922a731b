"""The steps of a run with several loads: each is decided and stored before its job starts, and read when it has ended.

`Run.progress["load_steps"]` has an entry for each trial, first with what was decided, then with what was measured;
`Run.progress["load_search"]` has the bracket so far, and at the end why the search ended. A worker that goes on after
another reads the same entries, and decides the same.
"""

from dataclasses import replace
from datetime import timedelta
from math import floor, log10
from typing import Any

from runners import clock, cluster, lifecycle
from runners.errors import StressFailed
from runners.lifecycle import save_progress
from runners.load_search import search, sentences
from runners.load_search.search import Bracket, End, Ended, NextStep, Search, Step
from runners.load_tools import for_plan
from runners.models import Run
from runners.plan_schema.load_plan import ThreadsStep
from runners.plan_schema.run_plan import RunPlan
from runners.steps import collect
from runners.steps.loads import load_result
from submissions.analysis.curves.load_curve import LatencyLimit, LoadPoint, LoadTrial, keeps
from submissions.analysis.host_metrics.host_use import SATURATED_PERCENT
from submissions.ingest.curves.load_curve import load_trial
from submissions.ingest.document.slo import SloDocument
from submissions.ingest.logs.trial_results import TrialResult

OVERHEAD = timedelta(seconds=15)  # of a step beside its load: a checkpoint, connecting, reading its outputs
RESERVE = timedelta(seconds=30)  # before the deadline, to end the search with what it has


def is_over(run: Run, plan: RunPlan, trial: int) -> bool | None:
    """Whether there is no such trial; None while the outputs of the one before are copied. Stores what it decides."""
    steps = list(run.progress.get("load_steps", []))
    if trial and "ops_s" not in steps[trial - 1]:
        if not collect.copy_trial(run, trial - 1):
            return None
        steps[trial - 1] = {**steps[trial - 1], **_measured(run, plan, trial - 1)}
        save_progress(run, load_steps=steps)
    if trial < len(steps):
        return False
    decided = _next(run, plan, steps)
    if decided is None:
        save_progress(run, load_ended=True)
        return True
    save_progress(run, load_steps=[*steps, {"trial": trial, **decided}])
    return False


def limit_of(slo: SloDocument) -> LatencyLimit:
    return LatencyLimit(slo.percentile.value, slo.max_ms, slo.max_error_share)


def _next(run: Run, plan: RunPlan, steps: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The load of the next trial; None when there is none, and then the end of a search is stored."""
    load = plan.load
    if load is None or load.slo is None:
        return _of_list(plan, len(steps))
    outcome = search.next_step(
        [_step(entry) for entry in steps],
        Search(trials=plan.trials, max_steps=load.max_steps, start_ops_s=load.start_ops_s),
    )
    if isinstance(outcome, NextStep):
        decided = _of_search(plan, outcome)
        if not _is_too_late(run, decided["duration_seconds"] or 0):
            _save_bracket(run, search.bracket_of([_step(entry) for entry in steps]))
            return decided
        outcome = Ended(End.TIME_ENDED, search.bracket_of([_step(entry) for entry in steps]))
    _save_bracket(run, outcome.bracket, end=outcome.end)
    found = run.progress["load_search"]
    evidence = sentences.evidence(load.slo.model_dump(mode="json"), found)
    lifecycle.note(run, f"{sentences.finding(found, len(steps))} {evidence}")
    return None


def _of_list(plan: RunPlan, trial: int) -> dict[str, Any] | None:
    """Round by round, so that what changes with time changes every load alike."""
    steps = plan.load.steps if plan.load else None
    if not steps or trial >= len(steps) * plan.trials:
        return None
    step = steps[trial % len(steps)]
    return {
        "purpose": "list",
        "offered_ops_s": None if isinstance(step, ThreadsStep) else _offered(plan, step),
        "threads": step.threads if isinstance(step, ThreadsStep) else plan.workload.threads,
        "duration_seconds": plan.workload.duration_seconds,
    }


def _of_search(plan: RunPlan, step: NextStep) -> dict[str, Any]:
    """Every step lasts what the plan asks for: so long is the estimate that its owner has confirmed."""
    rate = None if step.offered_ops_s is None else _offered(plan, _rounded(step.offered_ops_s))
    return {
        "purpose": step.purpose.value,
        "offered_ops_s": rate,
        "threads": plan.workload.threads,
        "duration_seconds": plan.workload.duration_seconds,
    }


def _offered(plan: RunPlan, rate: float) -> float:
    """What the load tool makes of the rate."""
    at_rate = plan.at_load(fixed_rate_ops_s=rate)
    return for_plan(at_rate).offered_ops_s(at_rate) or rate


def _rounded(rate: float) -> float:
    """To three significant digits: finer ones would say more than a step can show."""
    return round(rate, 2 - floor(log10(rate)))


def _is_too_late(run: Run, seconds: float) -> bool:
    if run.deadline_at is None:
        return False
    return clock.now() + timedelta(seconds=seconds) + OVERHEAD + RESERVE > run.deadline_at


def _save_bracket(run: Run, bracket: Bracket, end: End | None = None) -> None:
    save_progress(
        run,
        load_search={
            "end": end and end.value,
            "low_ops_s": bracket.low_ops_s,
            "high_ops_s": bracket.high_ops_s,
            "low_trials": bracket.low_trials,
            "high_trials": bracket.high_trials,
            "contradiction": bracket.contradiction and list(bracket.contradiction),
        },
    )


def _step(entry: dict[str, Any]) -> Step:
    cpu = entry["client_cpu_percent"]
    return Step(
        offered_ops_s=entry["offered_ops_s"],
        ops_s=entry["ops_s"],
        keeps_limit=bool(entry["keeps_limit"]),
        is_client_saturated=None if cpu is None else cpu > SATURATED_PERCENT,
    )


def _measured(run: Run, plan: RunPlan, trial: int) -> dict[str, Any]:
    """What the trial measured, and whether that keeps the limit of a search."""
    result = load_result.trial_result(run, cluster.plan_of_trial(run, trial), trial)
    warm_up = load_result.warm_up_seconds(result)
    ops_s = load_result.steady_ops_s(result, warm_up)
    if ops_s is None:
        raise StressFailed(f"the outputs of trial {trial + 1} show no throughput")
    entry = run.progress["load_steps"][trial]
    measured: dict[str, Any] = {
        "ops_s": ops_s,
        "operations": result.operations,
        "errors": result.errors,
        "latency_ms": dict(load_trial(trial, result).latency_ms),
        "latency_kind": result.latency_kind.value,
        "warm_up_seconds": warm_up,
        "client_cpu_percent": load_result.client_cpu_percent(run, trial),
        "keeps_limit": None,
        "why": "",
    }
    slo = plan.load.slo if plan.load else None
    return {**measured, **(_judged(limit_of(slo), entry, result, ops_s) if slo else {})}


def _judged(limit: LatencyLimit, entry: dict[str, Any], result: TrialResult, ops_s: float) -> dict[str, Any]:
    """Raises StressFailed where the outputs do not show whether the limit was kept."""
    loads = {"offered_ops_s": entry["offered_ops_s"], "threads": entry["threads"]}
    trial = replace(load_trial(entry["trial"], result), throughput_ops_s=ops_s, **loads)
    verdict = keeps(LoadPoint(trial.offered_ops_s, trial.threads, (trial,)), limit)
    if verdict is None:
        raise StressFailed(
            f"the outputs of trial {entry['trial'] + 1} have no {limit.percentile} or no count of errors: "
            "they do not show whether the limit was kept"
        )
    return {"keeps_limit": verdict, "why": "" if verdict else _why(limit, trial)}


def _why(limit: LatencyLimit, trial: LoadTrial) -> str:
    """The first reason why the limit is broken."""
    latency, errors = trial.latency_ms.get(limit.percentile), trial.error_share
    if latency is not None and latency > limit.max_ms:
        return "latency"
    return "errors" if errors is not None and errors > limit.max_error_share else "rate"  # the offered one
