"""The loads of a run beyond one: a list of them, or a search for the highest rate that keeps a limit."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, model_validator

from submissions.ingest.document.slo import SloDocument
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.types import NUMBER, OpsPerSecond

MAX_STEPS = 40  # of a list, or of a search
DEFAULT_MAX_STEPS = 12
FEWEST_STEPS = 4  # of a search, beside the trials that confirm: the peak, the first rate, and two to bracket


class ThreadsStep(StrictModel):
    """A closed loop: each client's threads do as much as they can."""

    threads: Annotated[int, NUMBER, Field(ge=1, le=10_000, strict=True)]  # per client


def _tag(value: Any) -> str:
    return "object" if isinstance(value, Mapping | ThreadsStep) else "ops_s"


LoadStep = Annotated[Annotated[OpsPerSecond, Tag("ops_s")] | Annotated[ThreadsStep, Tag("object")], Discriminator(_tag)]


class LoadPlan(StrictModel):
    """Either `steps` (ops/s of all clients together, or threads), or `slo`: the limit of a search.

    `max_steps` counts every trial of a search, those that confirm its final rate too.
    """

    steps: tuple[LoadStep, ...] | None = Field(None, min_length=1, max_length=MAX_STEPS)
    slo: SloDocument | None = None
    start_ops_s: OpsPerSecond | None = None  # the first offered rate of a search; by default a share of the peak
    max_steps: Annotated[int, NUMBER, Field(ge=FEWEST_STEPS + 1, le=MAX_STEPS, strict=True)] = DEFAULT_MAX_STEPS

    @model_validator(mode="after")
    def _is_one_kind(self) -> "LoadPlan":
        if (self.steps is None) == (self.slo is None):
            raise ValueError("needs either steps or slo")
        if self.steps is not None and self.start_ops_s is not None:
            raise ValueError("start_ops_s is of a search: a list of steps has none")
        return self
