"""The limit that a load curve was measured for."""

from typing import Annotated

from pydantic import Field

from submissions.choices import Percentile
from submissions.ingest.document.strict_model import StrictModel
from submissions.ingest.document.types import MAX_LATENCY_MS, NUMBER, STRING


class SloDocument(StrictModel):
    """A limit of the latency and of the errors: a load curve shows the highest measured rate that keeps it."""

    percentile: Annotated[Percentile, STRING] = Percentile.P99
    max_ms: Annotated[
        float, NUMBER, Field(gt=0, le=MAX_LATENCY_MS, description="Maximum of the percentile in every trial, ms")
    ]
    max_error_share: Annotated[
        float, NUMBER, Field(ge=0, le=1, description="A fraction of all operations of a trial")
    ] = 0.001
