"""benchsite compare: the site's verdict on two results, as a sentence, a table and an exit code."""

import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from benchsite_cli import options, output
from benchsite_cli.commands.upload import send_files
from benchsite_cli.errors import INCONCLUSIVE, REFUSED, Failure
from benchsite_cli.logs.files import collect
from benchsite_cli.metadata.facts import Facts
from benchsite_cli.site import Json, Site

_NUMBER = re.compile(r"#?(\d+)|https?://.*/submissions/(\d+)/?(?:\?.*)?")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%?")
# Facts of one result that count for the other one, where a log is compared with it
_OF_THE_SYSTEM = ("service", "provider", "region", "zones", "nodes", "jdk", "network", "settings")


class Metric(StrEnum):
    THROUGHPUT = "throughput"
    P99 = "latency_p99"
    VALUE = "ops_per_usd"


_NAMES = {Metric.THROUGHPUT: "Throughput", Metric.P99: "p99 latency", Metric.VALUE: "Operations per dollar"}
_VERDICTS = {
    "better": "better",
    "worse": "worse",
    "within_noise": "no difference beyond noise",
    "inconclusive": "inconclusive",
    None: "not comparable",
}

First = Annotated[str, typer.Argument(metavar="A", help="The baseline: a number, an address, or a log file")]
Second = Annotated[str, typer.Argument(metavar="B", help="What is compared with it")]
FailIfWorse = Annotated[
    str | None, typer.Option("--fail-if-worse", metavar="5%", help="Exit 1 if B is worse by more than this, for sure")
]
InconclusiveOk = Annotated[bool, typer.Option("--inconclusive-ok", help="Exit 0 where there are too few runs to tell")]
MetricOption = Annotated[Metric, typer.Option("--metric", help="What --fail-if-worse is about")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown")]


def compare(
    a: First,
    b: Second,
    fail_if_worse: FailIfWorse = None,
    inconclusive_ok: InconclusiveOk = False,
    metric: MetricOption = Metric.THROUGHPUT,
    markdown: Markdown = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare two results. A log file is first stored as a private result, with the facts of the other side.

    Exit code with --fail-if-worse: 0 not worse, 1 worse, 3 not known.
    """
    limit = None if fail_if_worse is None else share(fail_if_worse)
    numbers = [_NUMBER.fullmatch(text) for text in (a, b)]
    ids = [int(match[1] or match[2]) if match else None for match in numbers]
    with Site.configured(needs_token=None in ids) as site:
        if None in ids:
            ids = _with_files(site, [a, b], ids)
        comparison = compared(site, ids[0], ids[1])
    if as_json:
        output.write_json(comparison)
    elif markdown:
        output.write(as_markdown(comparison, site.url))
    else:
        _print(comparison)
    if limit is not None:
        raise typer.Exit(exit_code(comparison, limit, metric, is_inconclusive_ok=inconclusive_ok))


def compared(site: Site, a: int | None, b: int | None) -> Json:
    return site.get("compare/", [("a", str(a)), ("b", str(b))])


def share(text: str) -> float:
    """`5%` or `5` is 0.05. Raises Failure."""
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        raise Failure(f"--fail-if-worse {text!r}: write a percentage such as 5%")
    return float(match[1]) / 100


def exit_code(comparison: Json, limit: float, metric: Metric, *, is_inconclusive_ok: bool) -> int:
    """By the verdict of the site: a difference that may be noise is no failure, and no pass either."""
    ratio = comparison[metric]
    verdict = ratio and ratio["verdict"]
    if verdict is None:
        return INCONCLUSIVE  # of other workloads, or without the metric: no number of runs would tell
    if verdict == "inconclusive":
        return 0 if is_inconclusive_ok else INCONCLUSIVE
    if verdict != "worse":
        return 0
    change = ratio["ratio_over_runs"] or ratio["ratio"]
    loss = change - 1 if metric == Metric.P99 else 1 - change
    return REFUSED if loss > limit else 0


def as_markdown(comparison: Json, url: str) -> str:
    """The site's sentence and a table."""
    a, b = comparison["a"], comparison["b"]
    heading = f"**[#{b}]({url}/submissions/{b}/) against [#{a}]({url}/submissions/{a}/)**"
    lines = ["| | B / A | 95 % interval | verdict |", "|---|--:|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in _rows(comparison)]
    link = f"[Compare on the site]({url}/compare/?s={a}&s={b})"
    return "\n".join([heading, "", plain(comparison["sentence"]), "", *lines, "", link])


def plain(text: str) -> str:
    """Text that others wrote, without a meaning in Markdown or a mention of anybody."""
    escaped = re.sub(r"([\\`*_{}\[\]<>|~])", r"\\\1", text)
    return re.sub(r"[@#](?=\w)", lambda sign: f"{sign[0]}\u200b", escaped)


def _rows(comparison: Json) -> list[list[str]]:
    rows = []
    for metric, name in _NAMES.items():
        ratio: dict[str, Any] | None = comparison[metric]
        if ratio is None:
            rows.append([name, "—", "—", "not known of both"])
            continue
        low, high = ratio["interval"] or (None, None)
        interval = "—" if low is None else f"{low:.3f} to {high:.3f}"
        needed = f" ({ratio['runs_needed']} more runs of each would tell)" if ratio["runs_needed"] else ""
        rows.append([name, f"{ratio['ratio']:.3f}", interval, _VERDICTS[ratio["verdict"]] + needed])
    return rows


def _print(comparison: Json) -> None:
    output.write(comparison["sentence"])
    output.write("")
    headings = ["", f"#{comparison['b']} / #{comparison['a']}", "95 % interval", "Verdict"]
    output.print_table(headings, _rows(comparison), numbers=(1,))
    if comparison["differs"]:
        output.write("\nThey differ in:")
        for difference in comparison["differs"]:
            output.write(f"  {difference['field']}: {difference['a']} | {difference['b']}")


def _with_files(site: Site, texts: list[str], ids: list[int | None]) -> list[int | None]:
    """Files are stored as private results; raises Failure where one is refused."""
    other = next((number for number in ids if number is not None), None)
    if other is None:
        raise Failure("two files: upload them first, with the facts that they lack (benchsite upload)")
    document = site.get(f"submissions/{other}/")["document"]
    facts = {name: document[name] for name in _OF_THE_SYSTEM if document.get(name)}
    facts["service"] = {"name": facts["service"]["name"]}  # the version is the log's own
    made: list[int | None] = []
    for text, number in zip(texts, ids, strict=True):
        made.append(number if number is not None else _stored(site, text, facts))
    return made


def _stored(site: Site, path: str, facts: Json) -> int:
    if not Path(path).exists():
        raise Failure(f"{path} is neither the number of a result nor a file")
    private = Facts(others={**facts, "visibility": "private"})
    # it may be published already, with facts of its own
    outcome = send_files(site, collect([path]), private, allows_duplicates=True)
    if len(outcome.results) != 1:
        reasons = "; ".join(reason for row in outcome.rows for reason in row.reasons)
        raise Failure(f"{path}: {reasons or 'several results: upload them, and compare one'}")
    [result] = outcome.results
    output.complain(f"{path} is your private result #{result['id']}")
    return int(result["id"])
