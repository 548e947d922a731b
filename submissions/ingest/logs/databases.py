"""Which database a load tool can have loaded: what the uploader states is compared with it, or filled in."""

from collections.abc import Sequence

from submissions.formatting.names import service_name, tool_name
from submissions.formatting.text import join_or
from submissions.ingest import parsers
from submissions.ingest.document.readings import Facts
from submissions.vocabulary import slug, speaks_protocol_of


def databases_of(tool: str, facts: Facts | None = None) -> tuple[str, ...]:
    """What the log says, else what its tool can load; empty: any."""
    return (facts and facts.databases) or parsers.databases_of(tool)


def contradiction(database: object, *, tool: str, databases: Sequence[str], what: str = "log") -> str:
    """Why a log of `tool` cannot be of `database`, "" where it can. One that nobody listed may speak its protocol."""
    try:
        name = slug(database) if isinstance(database, str) else ""
    except ValueError:
        return ""  # the document's own check reports it
    if not databases or not name or any(speaks_protocol_of(name, other) for other in databases):
        return ""
    names = [service_name(other) for other in databases]
    kin = "its protocol" if len(names) == 1 else "the protocol of one of them"
    options = join_or([*names, f"a database that speaks {kin}"])
    return f"a {tool_name(tool)} {what} is of {options}, not of {service_name(name)}."
