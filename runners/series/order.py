"""The body of POST /api/v1/series/: a plan, what is varied in it, and how often each combination is measured."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from benchsite.http.refusals import Refusal
from runners.choices import CellOrder, Clusters
from runners.plan_schema.run_plan import MAX_RUN_USD
from runners.plans.order import Notify
from runners.series.paths import full_path, with_value
from submissions.ingest.document.faults import refusal
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.submission import Publication
from submissions.ingest.document.types import NUMBER, STRING, Short

MOST_CELLS = 60  # combinations
MOST_RUNS = 300
MOST_MINUTES = 14 * 24 * 60
_SEPARATOR = "+"  # "provider+region+instance": several facts that vary together


class Vary(StrictModel):
    """A fact with its values, or several facts that vary together: then each value is a list with one for each."""

    field: Short | None = Field(None, description="Dotted path of the plan: workload.threads, settings.jvm_options")
    fields: tuple[Short, ...] = Field((), max_length=10, description="Several that vary together")
    values: tuple[Any, ...] = Field(min_length=1, max_length=50)

    @model_validator(mode="after")
    def _fits(self) -> "Vary":
        if (self.field is None) == (not self.fields):
            raise ValueError("needs either field or fields")
        paths = self.paths
        if len(set(paths)) < len(paths) or "" in paths:
            raise ValueError("names a field twice, or none")
        if len(paths) > 1 and not all(isinstance(row, list | tuple) and len(row) == len(paths) for row in self.values):
            raise ValueError(f"each value must be a list of {len(paths)}: of {', '.join(paths)}")
        texts = [json.dumps(value, sort_keys=True, default=str) for value in self.values]
        if len(set(texts)) < len(texts):
            raise ValueError("has a value twice: use repetitions")
        return self

    @property
    def paths(self) -> tuple[str, ...]:
        names = self.fields or [name.strip() for name in (self.field or "").split(_SEPARATOR)]
        return tuple(map(full_path, names))

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The value of each path, for each value."""
        return [tuple(value) if len(self.paths) > 1 else (value,) for value in self.values]


class SeriesOrder(Publication):
    """`plan` is a RunPlan, in which varied facts and `max_usd` may be omitted; `trials` is 1 by default."""

    plan: dict[str, Any]
    vary: tuple[Vary, ...] = Field(min_length=1, max_length=4)
    repetitions: Annotated[int, NUMBER, Field(ge=1, le=20, strict=True)] = 3
    order: Annotated[CellOrder, STRING] = CellOrder.INTERLEAVED
    clusters: Annotated[
        Clusters,
        STRING,
        Field(description="shared: cells of a round that need the same machines use them one after another"),
    ] = Clusters.SHARED
    max_usd: Annotated[Decimal, Field(ge=0, le=MAX_RUN_USD, max_digits=12, decimal_places=4)]
    max_minutes: Annotated[int, NUMBER, Field(ge=1, le=MOST_MINUTES, strict=True)]
    notify: Notify | None = None

    @model_validator(mode="after")
    def _is_bounded(self) -> "SeriesOrder":
        paths = [path for vary in self.vary for path in vary.paths]
        if len(set(paths)) < len(paths):
            raise ValueError("a field is varied twice")
        cells = 1
        for vary in self.vary:
            cells *= len(vary.values)
        if cells < 2:
            raise ValueError("a series needs two cells: vary something")
        if cells > MOST_CELLS or cells * self.repetitions > MOST_RUNS:
            most = f"at most {MOST_CELLS} cells and {MOST_RUNS} runs"
            raise ValueError(f"{cells} cells and {cells * self.repetitions} runs: a series has {most}")
        return self


@dataclass(frozen=True, slots=True)
class Combination:
    """The content of a cell's plan, before it is validated. `places`: of its value, for each vary."""

    number: int
    places: tuple[int, ...]
    values: Mapping[str, Any]
    content: Mapping[str, Any]


def order_from(content: Mapping[str, Any]) -> SeriesOrder:
    """Raises Refusal."""
    try:
        return SeriesOrder.model_validate(content)
    except ValidationError as error:
        raise refusal(error) from error


def combinations_of(order: SeriesOrder) -> list[Combination]:
    """All cells, those of the first vary slowest. Raises Refusal where a path leads nowhere."""
    base = {"trials": 1, **order.plan}
    combinations = []
    for number, places in enumerate(product(*(range(len(vary.values)) for vary in order.vary))):
        values: dict[str, Any] = {}
        content: dict[str, Any] = base
        for index, (vary, place) in enumerate(zip(order.vary, places, strict=True)):
            for path, value in zip(vary.paths, vary.rows[place], strict=True):
                try:
                    content = with_value(content, path, value)
                except ValueError as error:
                    raise Refusal.at(f"#/vary/{index}", f"{path}: {error}") from error
                values[path] = value
        combinations.append(Combination(number, places, values, content))
    return combinations


def starts_of(cells: int, repetitions: int, order: CellOrder) -> list[tuple[int, int]]:
    """(cell, repetition from 1) in the order of the starts: interleaved, every second round runs backwards.

    So a cell is not always measured after the same one, and a slow drift of the machine favours none.
    """
    if order == CellOrder.IN_TURN:
        return [(cell, repetition) for cell in range(cells) for repetition in range(1, repetitions + 1)]
    forward = list(range(cells))
    return [
        (cell, repetition)
        for repetition in range(1, repetitions + 1)
        for cell in (forward if repetition % 2 else reversed(forward))
    ]
