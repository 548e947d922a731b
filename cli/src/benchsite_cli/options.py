"""The options that several commands share."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from benchsite_cli.errors import Failure
from benchsite_cli.metadata.clusters import Cluster, parse
from benchsite_cli.metadata.facts import Facts, parse_services, read_mapping
from benchsite_cli.metadata.metadata_server import this_machine

_PANEL = "Machines of the database"


def _machines(*names: str, **how: Any) -> Any:
    """An option of the panel of machines."""
    return typer.Option(*names, rich_help_panel=_PANEL, **how)


Aws = Annotated[str | None, _machines("--aws", help='On AWS: "3x m5.xlarge us-east-1"')]
Gcp = Annotated[str | None, _machines("--gcp", help='On Google Cloud: "3x n2-standard-8 us-central1"')]
Local = Annotated[str | None, _machines("--local", help='Your own: "2x Xeon Gold 6230, 64 GiB"')]
Cloud = Annotated[
    tuple[str, str] | None,
    _machines("--cloud", metavar="NAME MACHINES", help='Another: hetzner "3x ccx33 fsn1"'),
]
Here = Annotated[bool, _machines("--here", help="This machine, as its cloud describes it")]
Nodes = Annotated[int | None, _machines("--nodes", min=1, help="How many there were")]
Clients = Annotated[str | None, _machines("--clients", help='The load clients: "1x c5.2xlarge"')]
Pricing = Annotated[
    str | None,
    _machines("--pricing", help="on_demand, spot, reserved_1y, ... (on_demand)"),
]
HourlyUsd = Annotated[str | None, _machines("--hourly-usd", help="Price of one node, if not the list price")]
Service = Annotated[
    list[str] | None,
    typer.Option("--service", help="The database, or TOOL=DATABASE for the logs of one load tool; repeatable"),
]
Version = Annotated[str | None, typer.Option("--version", help="Version of the database")]
MeasuredAt = Annotated[str | None, typer.Option("--measured-at", help="Date, or date and time in UTC")]
Command = Annotated[str | None, typer.Option("--command", help="Command line of the load tool, if the log lacks it")]
Title = Annotated[str | None, typer.Option("--title")]
Notes = Annotated[str | None, typer.Option("--notes")]
SourceUrl = Annotated[str | None, typer.Option("--source-url", help="Article or commit that this belongs to")]
Visibility = Annotated[str | None, typer.Option("--visibility", help="public, unlisted or private (public)")]
Metadata = Annotated[
    Path | None,
    typer.Option("--metadata", exists=True, dir_okay=False, help="JSON or YAML file with any facts of the document"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table")]


def facts_of(given: dict[str, Any]) -> Facts:
    """From the values of the options above, by their names. Raises Failure."""
    others = read_mapping(given["metadata"], "the metadata") if given["metadata"] else {}
    stated = {name: given[name] for name in ("title", "notes", "source_url", "visibility") if given[name]}
    if given["measured_at"]:
        stated["measured_at"] = _moment(given["measured_at"])
    clients = given["clients"] and _clients(given["clients"])
    return Facts(
        cluster=_cluster(given),
        clients=clients or None,
        services=parse_services(given["service"] or ()),
        service_version=given["version"],
        pricing_model=given["pricing"],
        hourly_usd=given["hourly_usd"],
        command=given["command"],
        others={**others, **stated},
    )


def _cluster(given: dict[str, Any]) -> Cluster:
    texts = [
        ("aws", given["aws"]),
        ("gce", given["gcp"]),
        ("on-premises", given["local"]),
        given["cloud"] or ("", None),
    ]
    stated = [(provider, text) for provider, text in texts if text is not None]
    if len(stated) + given["here"] > 1:
        raise Failure("one of --aws, --gcp, --local, --cloud and --here: the machines of one database are in one place")
    cluster = this_machine() if given["here"] else Cluster()
    if stated:
        [(provider, text)] = stated
        cluster = parse(text, provider)
    return replace(cluster, count=given["nodes"]) if given["nodes"] else cluster


def _clients(text: str) -> Cluster:
    """Of the same provider and region as the database, so only the type and the count."""
    return replace(parse(text, "on-premises"), provider=None)


def _moment(text: str) -> str:
    try:
        if len(text) == 10:
            moment = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
        else:
            moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Failure(f"--measured-at {text!r}: write 2026-05-04 or 2026-05-04T12:00Z") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
