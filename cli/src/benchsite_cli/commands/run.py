"""benchsite run: starts a run from a plan, and follows it to its end."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from benchsite_cli import options, output
from benchsite_cli.errors import REFUSED
from benchsite_cli.metadata.facts import read_mapping
from benchsite_cli.metadata.questions import is_terminal
from benchsite_cli.site import Json, Site

POLL_SECONDS = 3.0
FINAL = frozenset({"succeeded", "failed", "cancelled"})
INTERRUPTED = 130

Plan = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A plan as YAML or JSON")]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Follow the run until it has ended")]
EstimateOnly = Annotated[bool, typer.Option("--estimate", help="Show what it would cost; start nothing")]


def run(plan: Plan, wait: Wait = False, estimate: EstimateOnly = False, as_json: options.AsJson = False) -> None:
    """Start a run. Its `max_usd` is the most that it may cost; the token needs the scope `run`.

    Exit code with --wait: 0 succeeded, 1 otherwise.
    """
    content = read_mapping(plan, "the plan")
    if isinstance(content.get("max_usd"), int | float):
        content["max_usd"] = str(content["max_usd"])  # money is a string
    with Site.configured() as site:
        if estimate:
            output.write_json(site.post("runs/estimate/", content, is_repeatable=True))
            return
        started = site.post("runs/", content, is_repeatable=False)
        if not as_json:
            output.write(f"Run {started['id']}: {page_of(site, started)}")
        ended = follow(site, started, is_quiet=as_json) if wait else started
    if as_json:
        output.write_json(ended)
    elif wait:
        output.write("\n".join(ending(ended, site)))
    if wait:
        raise typer.Exit(0 if ended["status"] == "succeeded" else REFUSED)


def page_of(site: Site, run: Json) -> str:
    return f"{site.url}/runs/{run['id']}/"


def follow(site: Site, run: Json, *, is_quiet: bool = False) -> Json:
    """Until it has ended, or raises typer.Exit; Ctrl-C never leaves a run that costs money without a word."""
    shown = ""
    console = Console(stderr=True)
    with console.status("", spinner="dots") as status:
        while run["status"] not in FINAL:
            line = state(run)
            status.update(escape(line))
            if not is_quiet and not console.is_terminal and line.partition(",")[0] != shown:
                output.complain(line)
            shown = line.partition(",")[0]
            try:
                time.sleep(POLL_SECONDS)
                run = site.get(f"runs/{run['id']}/")
            except KeyboardInterrupt:
                status.stop()
                run = _interrupted(site, run)
                status.start()
    return run


def state(run: Json) -> str:
    """What it does now, in one line; the part before the comma changes with the stage only."""
    progress: dict[str, Any] = run.get("progress") or {}
    stage = str(progress.get("stage") or run["status"]).replace("_", " ")
    trials = (run.get("plan") or {}).get("trials") or 1
    done = progress.get("trials_done")
    trial = f" (trial {min(done + 1, trials)} of {trials})" if done is not None and run["status"] == "stressing" else ""
    return f"{stage}{trial}, since {str(run['created_at'])[11:19]} UTC"


def ending(run: Json, site: Site) -> list[str]:
    """Why it ended, its result, and the receipt with what was left."""
    reason = str(run["end_reason"] or "").replace("_", " ")
    lines = [f"{run['status']}{': ' + reason if reason and run['status'] != 'succeeded' else ''}"]
    if run.get("end_detail"):
        lines.append(str(run["end_detail"]))
    if run["submission"]:
        lines.append(f"Result #{run['submission']}: {site.url}/submissions/{run['submission']}/")
    receipt = run.get("receipt")
    if receipt is None:
        return [*lines, "No receipt: no machine was launched."]
    usd = receipt["total_usd"]
    cost = f"${usd}" if usd is not None else f"cost not known ({receipt['missing']})"
    machines = output.plural(receipt["left"], "machine")
    lines.append(f"{output.plural(len(receipt['machines']), 'machine')}, {cost}; {machines} left running.")
    return [*lines, *(f"  still there: {name}" for name in receipt["left_behind"])]


def _interrupted(site: Site, run: Json) -> Json:
    if is_terminal() and typer.confirm("\nCancel the run? Its machines are deleted", err=True):
        output.complain("Cancelling…")
        return site.post(f"runs/{run['id']}/cancel/", is_repeatable=True)
    output.complain(f"The run goes on: {page_of(site, run)}")
    raise typer.Exit(INTERRUPTED)
