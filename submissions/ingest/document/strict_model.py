"""What every part of the submission document is made from, and the latency that several of them have."""

from itertools import pairwise

from pydantic import BaseModel, ConfigDict, model_validator

from submissions.ingest.document.types import Milliseconds


class StrictModel(BaseModel):
    """Unknown keys are refused by name; a document never changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class LatencyDocument(StrictModel):
    mean: Milliseconds | None = None
    p50: Milliseconds | None = None
    p95: Milliseconds | None = None
    p99: Milliseconds | None = None
    p999: Milliseconds | None = None
    max: Milliseconds | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "LatencyDocument":
        known = [
            (name, value) for name in ("p50", "p95", "p99", "p999", "max") if (value := getattr(self, name)) is not None
        ]
        for (low_name, low), (high_name, high) in pairwise(known):
            if low > high:
                raise ValueError(f"{low_name} {low:g} ms is above {high_name} {high:g} ms")
        if self.mean is not None and self.max is not None and self.mean > self.max:
            raise ValueError(f"mean {self.mean:g} ms is above max {self.max:g} ms")
        return self
