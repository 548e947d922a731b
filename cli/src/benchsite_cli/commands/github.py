"""What the GitHub Action runs: upload, compare with a baseline, one comment on the pull request.

Its inputs come as INPUT_... and GITHUB_... variables, see action.yml; `python -m benchsite_cli.commands.github`.
"""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import httpx

from benchsite_cli import output
from benchsite_cli.app import app
from benchsite_cli.commands.compare import Metric, as_markdown, compared, exit_code, plain, share
from benchsite_cli.errors import INCONCLUSIVE, REFUSED, Failure
from benchsite_cli.site import Json, Site

PAGE = 100


@dataclass(frozen=True, slots=True)
class Inputs:
    """Of the action, and of the job that it runs in."""

    files: list[str]
    arguments: list[str]
    baseline: str
    fail_if_worse: str
    metric: Metric
    is_inconclusive_ok: bool
    key: str
    token: str
    api: str
    repository: str
    pull_request: int | None

    @classmethod
    def of_environment(cls) -> "Inputs":
        return cls(
            files=[line.strip() for line in _input("FILES").splitlines() if line.strip()],
            arguments=shlex.split(_input("ARGUMENTS")),
            baseline=_input("BASELINE"),
            fail_if_worse=_input("FAIL_IF_WORSE"),
            metric=Metric(_input("METRIC") or Metric.THROUGHPUT),
            is_inconclusive_ok=_input("INCONCLUSIVE_OK").lower() == "true",
            key=_input("COMMENT_KEY") or "benchsite",
            token=_input("GITHUB_TOKEN"),
            api=os.environ.get("GITHUB_API_URL", "https://api.github.com"),
            repository=os.environ.get("GITHUB_REPOSITORY", ""),
            pull_request=_pull_request(),
        )

    @property
    def marker(self) -> str:
        """Invisible; the comment that has it is the one to update."""
        return f"<!-- benchsite: {self.key.replace('--', '')} -->"


def main() -> int:
    """Everything that can be said is said before the job fails."""
    inputs = Inputs.of_environment()
    status, uploaded = _upload(inputs)
    ids = list(dict.fromkeys(each["id"] for row in uploaded for each in row["submissions"]))
    with Site.configured() as site:
        comparisons = [found for number in ids if (found := _against_baseline(site, number, ids, inputs.baseline))]
    codes = [_code(comparison, inputs) for comparison in comparisons]
    body = "\n".join([inputs.marker, *_text(uploaded, comparisons, inputs, site)])
    _append("GITHUB_STEP_SUMMARY", body)
    verdict = "worse" if REFUSED in codes else "inconclusive" if INCONCLUSIVE in codes else "ok"
    _append("GITHUB_OUTPUT", f"submissions={' '.join(map(str, ids))}\nverdict={verdict}")
    if inputs.pull_request is not None and inputs.token:
        _comment(inputs, body)
    return status or max((code for code in codes if code == REFUSED), default=0) or max(codes, default=0)


def _upload(inputs: Inputs) -> tuple[int, list[Json]]:
    """The exit code and the rows of `benchsite upload --json`."""
    printed, code = StringIO(), 0
    try:
        with redirect_stdout(printed):
            app(["upload", "--json", *inputs.arguments, "--", *inputs.files])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    try:
        return code, list(json.loads(printed.getvalue())["files"])
    except (ValueError, KeyError):
        raise Failure(f"benchsite upload ended with {code}") from None


def _against_baseline(site: Site, number: int, uploaded: list[int], baseline: str) -> Json | None:
    """With the stated result, or the newest earlier one of the same workload on equal machines."""
    if not baseline:
        return None
    if baseline != "auto":
        return compared(site, int(baseline.lstrip("#")), number)
    new = site.get(f"submissions/{number}/")
    alike = ("workload", "service", "provider", "region", "instance_type", "node_count")
    params = [(name, str(new[name])) for name in alike if new[name] is not None]
    rows = site.get("submissions/", [*params, ("ordering", "-created_at"), ("page_size", "50")])["results"]
    earlier = [row["id"] for row in rows if row["id"] < number and row["id"] not in uploaded]
    return compared(site, earlier[0], number) if earlier else None


def _code(comparison: Json, inputs: Inputs) -> int:
    if not inputs.fail_if_worse:
        return 0
    limit = share(inputs.fail_if_worse)
    return exit_code(comparison, limit, inputs.metric, is_inconclusive_ok=inputs.is_inconclusive_ok)


def _text(rows: list[Json], comparisons: list[Json], inputs: Inputs, site: Site) -> Iterator[str]:
    yield "### Benchmarks"
    for comparison in comparisons:
        yield from ("", as_markdown(comparison, site.url))
    if inputs.baseline and not comparisons:
        yield "\nNo earlier result to compare with."
    yield from ("", "| File | ops/s | p99 ms | Result |", "|---|--:|--:|---|")
    for row in rows:
        links = " ".join(f"[#{each['id']}]({each['url']})" for each in row["submissions"] if "id" in each)
        said = plain("; ".join(row["reasons"]))
        result = f"{row['outcome'].replace('_', ' ')} {links} {said}".strip()
        ops_s, p99_ms = output.figure(row["throughput_ops_s"]), output.figure(row["latency_p99_ms"])
        yield f"| {plain(row['file'])} | {ops_s} | {p99_ms} | {result} |"


def _comment(inputs: Inputs, body: str) -> None:
    """One comment, updated in place; a job without the right to comment goes on, and says so."""
    headers = {"Authorization": f"Bearer {inputs.token}", "Accept": "application/vnd.github+json"}
    comments = f"/repos/{inputs.repository}/issues/{inputs.pull_request}/comments"
    try:
        with httpx.Client(base_url=inputs.api, headers=headers, timeout=30) as github:
            own = _own_comment(github, comments, inputs.marker)
            if own is None:
                response = github.post(comments, json={"body": body})
            else:
                response = github.patch(f"/repos/{inputs.repository}/issues/comments/{own}", json={"body": body})
            response.raise_for_status()
    except httpx.HTTPError as error:
        output.write(f"::warning::No comment on the pull request: {error}. It needs `pull-requests: write`.")


def _own_comment(github: httpx.Client, comments: str, marker: str) -> int | None:
    for page in range(1, 101):
        response = github.get(comments, params={"per_page": PAGE, "page": page})
        response.raise_for_status()
        found: list[dict[str, Any]] = response.json()
        for comment in found:
            if str(comment.get("body") or "").startswith(marker):
                return int(comment["id"])
        if len(found) < PAGE:
            return None
    return None


def _pull_request() -> int | None:
    path = os.environ.get("GITHUB_EVENT_PATH")
    if not path:
        return None
    event = json.loads(Path(path).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    return int(number) if number is not None else None


def _input(name: str) -> str:
    return os.environ.get(f"INPUT_{name}", "").strip()


def _append(variable: str, text: str) -> None:
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        output.write(f"::error::{failure}".replace("\n", "%0A"))
        sys.exit(failure.exit_code)
