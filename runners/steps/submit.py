"""Submitting: the raw outputs go through the same pipeline as every upload."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any

from benchsite.http.refusals import Refusal
from runners import cluster, lifecycle
from runners.choices import Diagnosis, EndReason, OutputKind, RunStatus
from runners.errors import ResultsRejected, RetryLater, RunFailed
from runners.lifecycle import time_since
from runners.load_tools import for_plan
from runners.models import Run, RunOutput, Series
from runners.plan_schema.run_plan import RunPlan
from runners.providers.registry import provider_for
from runners.steps.bill import bill_of_run
from runners.steps.collect import storage_errors
from runners.steps.host_summary import host_summary
from submissions.analysis.host_metrics import hosts
from submissions.analysis.host_metrics.hosts import Hosts
from submissions.choices import ArtifactKind, ClientPlacement, Trust
from submissions.ingest import uploads
from submissions.ingest.files import storage
from submissions.ingest.files.member import Member
from submissions.ingest.logs.read import StatedLoad
from submissions.ingest.pipeline import Prepared, prepare_import
from submissions.ingest.store.store import ExtraFile, attach, store
from submissions.pricing.providers import billing_of

STORAGE_LIMIT = timedelta(days=1)  # no machine waits: only a file that is gone for good takes longer
_AFTER = (
    "Measured on the machines of run {run} of the same series, after it: no separate launch. The database and all its "
    "data and settings were removed in between."
)
_PARSED = (OutputKind.LOG, OutputKind.HDR)


def step(run: Run) -> RunStatus | None:
    """Store the submission and end the run; safe to repeat, since the same content is stored once."""
    try:
        return _submit(run)
    except storage_errors() as error:
        detail = f"the outputs could not be read from the file storage: {type(error).__name__}"
        if time_since(run, "storage_away_since") > STORAGE_LIMIT:
            raise RunFailed(f"{detail}; they are kept, and can be submitted again") from error
        raise RetryLater(detail) from error


def _submit(run: Run) -> RunStatus | None:
    outputs = _outputs(run)
    parsed, lost = _whole(run, outputs)
    others = [output for output in outputs if output not in parsed]
    summary = host_summary(run, others)
    submission = store(_prepared(run, parsed, summary), submitted_by=run.owner).submission
    attach(submission, _extra_files(others, summary))
    reason = EndReason(run.end_reason) if run.end_reason else EndReason.COMPLETED
    detail = run.end_detail
    if lost and reason == EndReason.COMPLETED:
        numbers = ", ".join(str(trial + 1) for trial in lost)
        detail = f"Not counted, since logs were lost with a host: trial {numbers} of {cluster.trials_of(run)}"
    lifecycle.advance(
        run, reason.final_status, submission=submission, end_reason=reason.value, end_detail=detail[:1000]
    )
    return None


def _whole(run: Run, outputs: Sequence[RunOutput]) -> tuple[list[RunOutput], list[int]]:
    """The load tool's files of the trials that have those of each client, and the trials without (from 0)."""
    missing = _missing(run)
    lost = sorted(trial for trial, kind in missing if kind == OutputKind.LOG and trial is not None)
    parsed = [
        output
        for output in outputs
        if output.trial is not None
        and output.kind in _PARSED
        and output.trial not in lost
        and (output.trial, output.kind) not in missing
    ]
    if lost and not parsed:
        raise ResultsRejected("no trial has the logs of all its clients")
    return parsed, lost


def _missing(run: Run) -> set[tuple[int | None, str]]:
    """The trials and kinds of which a client's file is missing: the others alone would show less than was measured."""
    plan, members = cluster.plan_of(run), cluster.members_of(run.nodes.all())
    expected = {
        (file.node, file.path)
        for trial in range(cluster.trials_of(run))
        for file in for_plan(plan).outputs(cluster.plan_of_trial(run, trial), members, trial)
        if file.kind in _PARSED
    }
    rows = run.outputs.filter(trial__isnull=False, sha256=None).select_related("node")
    return {(row.trial, row.kind) for row in rows if (row.node.name, row.path) in expected}


def _outputs(run: Run) -> list[RunOutput]:
    """Those that are stored; logs of the hosts are the owner's, unless the plan publishes them with every result."""
    stored = run.outputs.filter(sha256__isnull=False).select_related("node")
    if run.plan.get("diagnosis") != Diagnosis.ALWAYS:
        stored = stored.exclude(kind=OutputKind.DIAGNOSIS)
    return list(stored)


def _prepared(run: Run, outputs: Sequence[RunOutput], summary: Hosts | None) -> Prepared:
    """The submission from the outputs; an interrupted trial is included only if it can be read."""
    try:
        return _import(run, outputs, summary)
    except Refusal as error:
        complete = [output for output in outputs if (output.trial or 0) < run.progress.get("trials_done", 0)]
        if not complete or len(complete) == len(outputs):
            raise ResultsRejected(str(error)) from error
        lifecycle.note(run, f"the last trial could not be read: {error}")
    try:
        return _import(run, complete, summary)
    except Refusal as error:
        raise ResultsRejected(str(error)) from error


def _import(run: Run, outputs: Sequence[RunOutput], summary: Hosts | None) -> Prepared:
    plan = cluster.plan_of(run)
    facts = cluster.facts_of(run.nodes.all())
    with ExitStack() as stack:
        files = [stack.enter_context(uploads.stored_file(output.name, output.sha256 or "")) for output in outputs]
        trials = [output.trial or 0 for output in outputs]
        offered = uploads.offered(files, list(map(str, trials)), [_load_of(run, trial) for trial in trials])
    originals = {output.sha256: output.original_sha256 for output in outputs}
    offered = [replace(log, member=_with_original(log.member, originals)) for log in offered]
    document = {**for_plan(plan).document(plan, facts), **_publication(run), **_series(run), **_limit(plan)}
    document |= _placement(plan)
    document |= summary.records if summary else {}
    if run.took_over_from_id:
        document["notes"] = " ".join(filter(None, [document.get("notes"), _AFTER.format(run=run.took_over_from_id)]))
    prepared = prepare_import(document, offered, trust=trust_of(run))
    if len(prepared) != 1:
        raise ResultsRejected(f"the outputs contain {len(prepared)} submissions instead of one")
    operations = sum(trial.operations or 0 for trial in prepared[0].trials)
    bill = bill_of_run(run, plan, operations=operations)
    return replace(prepared[0], document=prepared[0].document.model_copy(update={"bill": bill}))


def _placement(plan: RunPlan) -> dict[str, str]:
    """On one machine the load client takes processor time from the database."""
    return {"client_placement": ClientPlacement.ON_DATABASE.value} if billing_of(plan.provider).is_one_machine else {}


def _limit(plan: RunPlan) -> dict[str, Any]:
    """What a search was for."""
    return {"slo": plan.load.slo.model_dump(mode="json")} if plan.load and plan.load.slo else {}


def _load_of(run: Run, trial: int) -> StatedLoad:
    """Of a step of a run with several loads: what its log may not contain."""
    if not run.plan.get("load"):
        return StatedLoad()
    step = run.progress["load_steps"][trial]
    return StatedLoad(offered_ops_s=step["offered_ops_s"])


def _with_original(member: Member, originals: Mapping[str | None, str | None]) -> Member:
    """An output's secrets were masked when it was collected: the sum that it had before."""
    return replace(member, original_sha256=originals.get(member.sha256) or member.original_sha256)


def trust_of(run: Run) -> Trust:
    """Whoever controls the machines could change what is measured: it matters whose they are, not who started the run.

    On this machine, a run that is not kept apart from the site works as the user who started the site.
    """
    if run.cloud_access_id is None and provider_for(run.provider).abilities.is_kept_apart:
        return Trust.RUN_BY_US
    return Trust.RUN_BY_OWNER


def _publication(run: Run) -> dict[str, str]:
    """Who may see the result, as the order said."""
    embargo = {"embargo_until": run.embargo_until.isoformat()} if run.embargo_until else {}
    return {"visibility": run.visibility, **embargo}


def _series(run: Run) -> dict[str, str]:
    """The series that the run belongs to, if any."""
    series = Series.objects.filter(cells__run=run).first()
    return {"series": series.key} if series else {}


def _extra_files(outputs: Sequence[RunOutput], summary: Hosts | None) -> list[ExtraFile]:
    """Samples and disk tests, and their summary by host."""
    files = [
        ExtraFile(
            name=output.name,
            kind=ArtifactKind.PROFILE if output.kind == OutputKind.PROFILE else ArtifactKind.OTHER,
            sha256=output.sha256 or "",
            size_bytes=output.size_bytes or 0,
            trial_index=output.trial,
            original_sha256=output.original_sha256,
        )
        for output in outputs
    ]
    if summary is not None:
        content = hosts.packed(summary.hosts, summary.disk_tests, summary.activity)
        sha256 = storage.store_bytes(content)
        files.append(ExtraFile(hosts.FILE_NAME, ArtifactKind.HOST_SUMMARY, sha256, len(content)))
    return files
