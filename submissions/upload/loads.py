"""The load of each uploaded log as its sender states it: lists beside the files."""

from collections.abc import Sequence
from typing import Any

from django.http import QueryDict
from pydantic import TypeAdapter, ValidationError

from benchsite.http.refusals import Fault, Refusal
from submissions.api.number_fields import parse_number
from submissions.ingest.document.faults import faults_of
from submissions.ingest.document.types import Count, OpsPerSecond
from submissions.ingest.logs.read import StatedLoad

_OFFERED: TypeAdapter[float] = TypeAdapter(OpsPerSecond)
_THREADS: TypeAdapter[int] = TypeAdapter(Count)
_FLOAT_FROM = 10**15  # whole numbers above are refused as counts, and are rates all the same


def stated_loads(params: QueryDict, files: int) -> list[StatedLoad]:
    """Of each file; raises Refusal at the values that are no rate, or no number of threads, or beyond the files."""
    offered, threads = params.getlist("offered_ops_s"), params.getlist("threads")
    return loads_of_texts(offered, threads, files)


def take_loads(params: QueryDict, entries: Sequence[dict[str, Any]]) -> list[Fault]:
    """Note in the entries of an upload's files what its form states; a value that is wrong changes nothing."""
    names = ("offered_ops_s", "threads")
    offered, threads = ([params.get(f"{name}-{index}", "") for index in range(len(entries))] for name in names)
    try:
        loads = loads_of_texts(offered, threads, len(entries))
    except Refusal as error:
        return list(error.faults)
    for index, (entry, load) in enumerate(zip(entries, loads, strict=True)):
        for name in names:
            if f"{name}-{index}" in params:
                entry[name] = getattr(load, name)
    return []


def loads_of_texts(offered: Sequence[str], threads: Sequence[str], files: int) -> list[StatedLoad]:
    """The same of texts, "" where nothing is stated."""
    faults: list[Fault] = []
    rates = _values("offered_ops_s", offered, files, _OFFERED, faults, "ops/s")
    counts = _values("threads", threads, files, _THREADS, faults)
    if faults:
        raise Refusal(faults)
    return [StatedLoad(*pair) for pair in zip(rates, counts, strict=True)]


def _values(
    name: str, texts: Sequence[str], files: int, kind: TypeAdapter[Any], faults: list[Fault], unit: str = ""
) -> list[Any]:
    if len(texts) > files:
        faults.append(Fault(f"#/{name}", f"{len(texts)} values for {files} files"))
        return [None] * files
    values: list[Any] = [None] * files
    for index, text in enumerate(texts):
        if not text.strip():
            continue
        try:
            values[index] = kind.validate_python(_number(text, unit))
        except ValidationError as error:
            faults += faults_of(error, f"#/{name}/{index}")
        except ValueError as error:
            faults.append(Fault(f"#/{name}/{index}", str(error)))
    return values


def _number(text: str, unit: str) -> int | float:
    """Raises ValueError with the ways to write it."""
    number = parse_number(text, unit)
    return int(number) if number == number.to_integral_value() and number < _FLOAT_FROM else float(number)
