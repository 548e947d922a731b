"""The address of the site and the token: from the environment, else from the file that `benchsite login` writes."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import typer

from benchsite_cli.errors import Failure

NOT_LOGGED_IN = "no site: run `benchsite login`, or set BENCHSITE_URL and BENCHSITE_TOKEN"
NO_TOKEN = "this needs a token: run `benchsite login`, or set BENCHSITE_TOKEN"  # noqa: S105 - a sentence


@dataclass(frozen=True, slots=True)
class Login:
    url: str
    token: str = ""


def config_file() -> Path:
    return Path(typer.get_app_dir("benchsite")) / "config.json"


def current(*, needs_token: bool) -> Login:
    """Raises Failure where the address or the token is missing."""
    stored = _stored()
    url = address(os.environ.get("BENCHSITE_URL", "")) or stored.url
    if not url:
        raise Failure(NOT_LOGGED_IN)
    # a stored token is for its own site: another one must not learn it
    token = os.environ.get("BENCHSITE_TOKEN", "").strip() or (stored.token if url == stored.url else "")
    if needs_token and not token:
        raise Failure(NO_TOKEN)
    return Login(url, token)


def known_address() -> str:
    """The site of the environment or of the last login; "" without one."""
    return address(os.environ.get("BENCHSITE_URL", "")) or _stored().url


def save(login: Login) -> Path:
    """Readable by its owner alone, from its first byte on."""
    path = config_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump({"url": login.url, "token": login.token}, file)
    part.replace(path)
    return path


def address(text: str) -> str:
    """Without a slash at the end or the path of the API; `bench.example.org` is https. Raises Failure."""
    url = text.strip().rstrip("/").removesuffix("/api/v1")
    if url and "://" not in url:
        url = f"https://{url}"
    if url and not url.startswith(("http://", "https://")):
        raise Failure(f"{url} is no address of a site: it begins with https:// or http://")
    return url


def _stored() -> Login:
    try:
        content = json.loads(config_file().read_text(encoding="utf-8"))
        return Login(str(content["url"]), str(content["token"]))
    except FileNotFoundError:
        return Login("")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure(f"{config_file()} cannot be read ({error}): run `benchsite login` again") from error
