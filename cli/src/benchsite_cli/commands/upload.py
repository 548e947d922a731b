"""benchsite upload: a folder or many files, each read by the site, published or refused with the reason."""

from collections.abc import Sequence
from typing import Annotated

import typer

from benchsite_cli import options, output
from benchsite_cli.logs.files import LogFile, collect
from benchsite_cli.logs.grouping import Trials, grouped
from benchsite_cli.logs.publishing import DUPLICATE, Outcome, Row, publish, refused_rows
from benchsite_cli.logs.ranks import next_addresses, ranks
from benchsite_cli.logs.reading import read_all
from benchsite_cli.logs.report import print_outcome
from benchsite_cli.metadata.facts import Facts
from benchsite_cli.metadata.questions import FactsMissing, completed
from benchsite_cli.site import Site

Files = Annotated[list[str], typer.Argument(metavar="FILE|FOLDER...", help="Logs: plain, gzip, zip or tar")]
TrialsOption = Annotated[
    Trials,
    typer.Option(
        "--trials",
        help="auto: what belongs together is found by the site; together: all files are trials of one result; "
        "each: each file is a result; clients: all are clients of one trial",
    ),
]
AllowDuplicates = Annotated[
    bool, typer.Option("--allow-duplicates", help="Also publish logs that are part of another result")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be published; publish nothing")]


def upload(
    files: Files,
    aws: options.Aws = None,
    gcp: options.Gcp = None,
    local: options.Local = None,
    cloud: options.Cloud = None,
    here: options.Here = False,
    nodes: options.Nodes = None,
    clients: options.Clients = None,
    pricing: options.Pricing = None,
    hourly_usd: options.HourlyUsd = None,
    service: options.Service = None,
    version: options.Version = None,
    measured_at: options.MeasuredAt = None,
    command: options.Command = None,
    title: options.Title = None,
    notes: options.Notes = None,
    source_url: options.SourceUrl = None,
    visibility: options.Visibility = None,
    metadata: options.Metadata = None,
    trials: TrialsOption = Trials.AUTO,
    allow_duplicates: AllowDuplicates = False,
    dry_run: DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Publish benchmark logs: good files are published, the others refused, each with its reason."""
    facts = options.facts_of(locals())
    try:
        with Site.configured() as site:
            how = {"is_dry_run": dry_run, "is_quiet": as_json, "allows_duplicates": allow_duplicates}
            outcome = send_files(site, collect(files), facts, trials=trials, **how)
            outcome.ranks = ranks(site, outcome.results)
            outcome.next = next_addresses(site, outcome.results)
    except FactsMissing as error:
        if as_json:
            output.write_json({"missing": [each.as_json() for each in error.missing]})
        raise
    if as_json:
        output.write_json({"site": site.url, **outcome.as_json()})
    else:
        print_outcome(outcome)
    raise typer.Exit(outcome.exit_code)


def send_files(
    site: Site,
    files: Sequence[LogFile],
    facts: Facts,
    *,
    trials: Trials = Trials.AUTO,
    is_dry_run: bool = False,
    is_quiet: bool = False,
    allows_duplicates: bool = False,
) -> Outcome:
    """Raises FactsMissing before anything is published."""
    first: dict[str, LogFile] = {}
    for file in files:
        first.setdefault(file.sha256, file)
    with output.progress("Reading", len(first), is_quiet=is_quiet) as advance:
        readings = read_all(site, list(first.values()), facts, advance)
    facts = completed(facts, readings)
    groups = grouped(site, readings, facts, trials)
    sent = {file.path for group in groups for file in group.files}
    rows = refused_rows([reading for reading in readings if reading.file.path not in sent])
    with output.progress("Checking" if is_dry_run else "Publishing", len(groups), is_quiet=is_quiet) as advance:
        how = {"is_one_trial": trials == Trials.CLIENTS, "allows_duplicates": allows_duplicates}
        rows += publish(site, groups, facts, is_dry_run=is_dry_run, advance=advance, **how)
    by_name = {row.file: row for row in rows}
    return Outcome([_row_of(file, first[file.sha256], by_name) for file in files])


def _row_of(file: LogFile, first: LogFile, rows: dict[str, Row]) -> Row:
    """A file whose bytes were sent already has the fate of the first one."""
    row = rows[first.name]
    if file is first:
        return row
    return Row(file.name, DUPLICATE if row.results else row.outcome, row.tool, row.results, (f"as {first.name}",))
