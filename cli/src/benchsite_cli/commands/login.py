"""benchsite login: the address of a site and a token, checked before they are kept."""

import os
from datetime import datetime
from typing import Annotated

import typer

from benchsite_cli import output
from benchsite_cli.config import Login, address, save
from benchsite_cli.errors import Failure
from benchsite_cli.metadata.questions import is_terminal
from benchsite_cli.site import Json, Site

Url = Annotated[str | None, typer.Argument(metavar="[URL]", help="Address of the site, or BENCHSITE_URL")]
Token = Annotated[
    str | None, typer.Option("--token", help="From your account page; else BENCHSITE_TOKEN, or it is asked for")
]


def login(url: Url = None, token: Token = None) -> None:
    """Check a token and keep it for later commands, readable by you alone."""
    site_url = address(url or os.environ.get("BENCHSITE_URL", "") or _answer("Address of the site"))
    text = token or os.environ.get("BENCHSITE_TOKEN", "") or _answer(f"Token (from {site_url}/account/)", hide=True)
    new = Login(site_url, text.strip())
    with Site(new) as site:
        facts = site.get("tokens/current/")
    path = save(new)
    output.write(f"Logged in to {site_url} as {facts['account']}. {_words(facts)}")
    output.write(f"Kept in {path}.")
    if site_url.startswith("http://") and not _is_local(site_url):
        output.complain("Warning: over http:// anyone on the way can read the token.")


def _words(facts: Json) -> str:
    until = datetime.fromisoformat(facts["expires_at"]).date().isoformat() if facts["expires_at"] else "never"
    return f"Token “{facts['name']}”: {', '.join(facts['scopes'])}; expires {until}."


def _answer(question: str, *, hide: bool = False) -> str:
    if not is_terminal():
        raise Failure(f"{question}: not stated. Write `benchsite login URL --token TOKEN`")
    return str(typer.prompt(question, hide_input=hide, err=True))


def _is_local(url: str) -> bool:
    host = url.removeprefix("http://").partition("/")[0].rpartition(":")[0]
    return host in ("localhost", "127.0.0.1", "[::1]") or (url.count(":") == 1 and "localhost" in url)
