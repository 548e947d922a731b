"""One disk test of a submission: what fio or iozone measured on a host, without the database."""

from typing import Annotated

from pydantic import Field, model_validator

from submissions.choices import DiskPattern
from submissions.ingest.document.strict_model import LatencyDocument, StrictModel
from submissions.ingest.document.types import (
    NUMBER,
    STRING,
    Command,
    Count,
    Line,
    Moment,
    OpsPerSecond,
    Seconds,
    Short,
    Version,
)
from submissions.vocabulary import Slug

MAX_BLOCK_BYTES = 2**40
MAX_FILE_BYTES = 2**60

MegabytesPerSecond = Annotated[float, NUMBER, Field(gt=0, le=1e7)]
BlockBytes = Annotated[int, NUMBER, Field(ge=1, le=MAX_BLOCK_BYTES, strict=True)]
FileBytes = Annotated[int, NUMBER, Field(ge=1, le=MAX_FILE_BYTES, strict=True)]
ShareOfReads = Annotated[float, NUMBER, Field(ge=0, le=1)]


class DiskTestDocument(StrictModel):
    tool: Slug = Field(description="fio, iozone, ...")
    tool_version: Version | None = None
    command: Command | None = None
    name: Line = Field("", description="The test's own name, such as fio's job name")
    host: Short | None = Field(None, description="Which host of the cluster, where it is known")
    target: Line | None = Field(None, description="The tested file, folder or device")
    pattern: Annotated[DiskPattern, STRING]
    read_share: ShareOfReads | None = Field(
        None, description="Share of reads, where reads and writes ran at the same time: each is a test of its own"
    )
    block_bytes: BlockBytes | None = None
    jobs: Count | None = Field(None, description="Processes or threads that ran together; the figures are their total")
    queue_depth: Count | None = Field(None, description="Requests in flight of one job")
    file_bytes: FileBytes | None = Field(None, description="Size of one job's file")
    duration_s: Seconds | None = None
    is_direct: bool | None = Field(None, strict=True, description="Whether the page cache was bypassed")
    mb_s: MegabytesPerSecond | None = Field(None, description="MB are 10^6 bytes")
    iops: OpsPerSecond | None = None
    latency_ms: LatencyDocument = LatencyDocument()
    measured_at: Moment | None = None

    @model_validator(mode="after")
    def _has_a_figure(self) -> "DiskTestDocument":
        if self.mb_s is None and self.iops is None:
            raise ValueError("needs mb_s or iops")
        return self
