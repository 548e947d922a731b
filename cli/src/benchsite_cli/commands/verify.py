"""benchsite verify: whether a bundle or a receipt is what a site has signed, and which file is not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from benchsite_cli import config, options, output
from benchsite_cli.bundles.bundle import Bundle, Difference, opened
from benchsite_cli.bundles.parse_again import parsed_again
from benchsite_cli.bundles.signatures import (
    BUNDLE,
    RECEIPT,
    Key,
    NotVerified,
    Signed,
    claimed_site,
    keys_of_file,
    keys_of_site,
    verified,
)
from benchsite_cli.errors import REFUSED, Failure
from benchsite_cli.site import Site

MAX_RECEIPT_BYTES = 64 * 1024 * 1024
NOT_PROVEN = (
    "that the benchmark was run as the files say; when it was signed; and that it was not retracted since:"
    " see its address"
)

File = Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A bundle (zip), or a signed receipt (JSON)")]
KeyFile = Annotated[
    Path | None, typer.Option("--key", exists=True, dir_okay=False, help="PEM file with the keys that you trust")
]
SiteUrl = Annotated[str | None, typer.Option("--site", help="The site that you trust: its keys are fetched")]
Parse = Annotated[bool, typer.Option("--parse", help="Have your site read the logs again, and compare the figures")]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problem` is set where the signature does not hold; `differences` are of files, `figures` of a second reading."""

    signed: Signed | None = None
    problem: str = ""
    differences: Sequence[Difference] = ()
    files: int = 0
    figures: Sequence[str] = ()
    compared: int | None = field(default=None)  # figures; None: not parsed again

    @property
    def is_good(self) -> bool:
        return not (self.problem or self.differences or self.figures)

    def as_json(self) -> dict[str, Any]:
        statement = self.signed.statement if self.signed else {}
        return {
            "verified": self.is_good,
            "problem": self.problem or None,
            "key_id": self.signed.key.key_id if self.signed else None,
            "predicate_type": statement.get("predicateType"),
            "predicate": statement.get("predicate"),
            "files": self.files,
            "differences": [{"path": each.path, "what": each.what} for each in self.differences],
            "figures_compared": self.compared,
            "figures_that_differ": list(self.figures),
        }


def verify(
    file: File,
    key: KeyFile = None,
    site: SiteUrl = None,
    parse: Parse = False,
    as_json: options.AsJson = False,
) -> None:
    """Check a signed bundle of a result, or a signed receipt of a run: signature, every byte, missing and added files.

    Exit code: 0 verified, 1 not.
    """
    if _is_zip(file):
        with opened(file) as bundle:
            verdict = _of_bundle(bundle, key, site, parse=parse)
    else:
        verdict = _of_receipt(file, key, site)
    if as_json:
        output.write_json(verdict.as_json())
    else:
        output.write("\n".join(_lines(verdict)))
    raise typer.Exit(0 if verdict.is_good else REFUSED)


def _of_bundle(bundle: Bundle, key: Path | None, site: str | None, *, parse: bool) -> Verdict:
    try:
        content = bundle.statement()
        signed = verified(content, _keys(content, key, site))
        if signed.statement["predicateType"] != BUNDLE:
            raise NotVerified("the statement is signed, but it is not about a bundle")
        differences = bundle.differences(signed.statement)
    except NotVerified as error:
        return Verdict(problem=str(error))
    files = len(signed.statement["subject"])
    if not parse or differences:
        return Verdict(signed, differences=differences, files=files)
    with Site.configured() as reader:
        again = parsed_again(reader, bundle, signed.statement)
    return Verdict(signed, files=files, figures=again.differences, compared=again.compared)


def _of_receipt(file: Path, key: Path | None, site: str | None) -> Verdict:
    if file.stat().st_size > MAX_RECEIPT_BYTES:
        raise Failure(f"{file} is neither a zip nor a receipt")
    content = file.read_bytes()
    try:
        signed = verified(content, _keys(content, key, site))
        if signed.statement["predicateType"] != RECEIPT:
            raise NotVerified("the statement is signed, but it is not a receipt: verify the bundle that it is from")
    except NotVerified as error:
        return Verdict(problem=str(error))
    return Verdict(signed)


def _keys(content: bytes, key: Path | None, site: str | None) -> list[Key]:
    """Those that the caller trusts: never those that a bundle itself names. Raises Failure."""
    if key is not None:
        return keys_of_file(key)
    url = config.address(site or "")
    claimed = claimed_site(content)
    if not url:
        url = config.known_address()
        if not url or url != claimed:
            hint = f" It names {claimed}: if that is a site that you trust, add --site {claimed}." if claimed else ""
            raise Failure(f"whose signature counts? Write --site URL, or --key FILE.{hint}")
    return keys_of_site(url)


def _is_zip(file: Path) -> bool:
    with file.open("rb") as opened_file:
        return opened_file.read(2) == b"PK"


def _lines(verdict: Verdict) -> list[str]:
    if verdict.signed is None:
        return [f"NOT VERIFIED: {verdict.problem}."]
    signed = verdict.signed
    is_bundle = signed.statement["predicateType"] == BUNDLE
    about = _about_bundle(signed.predicate) if is_bundle else _about_receipt(signed.predicate)
    origin = f"Signed with the key {signed.key.key_id} of {signed.key.origin}."
    if verdict.differences:
        count = output.plural(len(verdict.differences), "file")
        verb = "differs" if len(verdict.differences) == 1 else "differ"
        return [
            f"NOT VERIFIED: {count} of {about} {verb} from what was signed.",
            *_indented(verdict.differences),
            origin,
        ]
    if verdict.figures:
        return [
            f"NOT VERIFIED: read again, the logs of {about} give other figures.",
            *_indented(verdict.figures),
            origin,
        ]
    lines = [f"Verified: {about}.", origin]
    if is_bundle:
        lines.append(f"{output.plural(verdict.files, 'file')} unchanged; none is missing, none was added.")
    if verdict.compared is not None:
        lines.append(f"Read again, the logs give the same figures: {verdict.compared} compared.")
    removed = signed.predicate.get("removed_files") or ()
    lines += [f"Taken away by a moderator, and not in it: {_plain(each['name'])}" for each in removed]
    return [*lines, f"Not proven: {NOT_PROVEN}."]


def _about_bundle(predicate: dict[str, Any]) -> str:
    result = predicate["submission"]
    return (
        f"result #{result['id']} of {_plain(predicate['site'])} ({_plain(result['title'])}; trust: {result['trust']})"
    )


def _about_receipt(predicate: dict[str, Any]) -> str:
    run, receipt = predicate["run"], predicate["receipt"]
    total = f"${receipt['total_usd']}" if receipt["total_usd"] is not None else "total unknown"
    machines = output.plural(len(receipt["machines"]), "machine")
    left = output.plural(receipt["left"], "machine")
    return f"receipt of run {run['id']} of {_plain(predicate['site'])}: {machines}, {total}; {left} left running"


def _plain(text: str) -> str:
    """Without what a terminal gives a meaning to: titles are by strangers."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))


def _indented(lines: Sequence[Difference | str]) -> list[str]:
    return [f"  {line}" for line in lines]
