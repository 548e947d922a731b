"""What one host did during the trials; a record may stand for several of which only the mean is known."""

from typing import Annotated

from pydantic import Field, model_validator

from submissions.choices import Role
from submissions.ingest.document.strict_model import LatencyDocument, StrictModel
from submissions.ingest.document.types import NUMBER, STRING, Count, OpsPerSecond, Short

Percent = Annotated[float, NUMBER, Field(ge=0, le=100)]
BytesPerSecond = Annotated[float, NUMBER, Field(ge=0, le=1e15)]


class HostDocument(StrictModel):
    name: Short | None = None
    role: Annotated[Role, STRING]
    count: Count = Field(1, description="Hosts of which the figures are the mean")
    sampled_s: Count | None = Field(None, description="Seconds over which the figures are means")
    throughput_ops_s: OpsPerSecond | None = Field(
        None, description="Operations a second that this host served or, a client, sent"
    )
    server_latency_ms: LatencyDocument = Field(
        LatencyDocument(), description="Of an operation inside the server, without network and client"
    )
    cpu_percent: Percent | None = Field(None, description="Busy, over all processors of the host")
    cpu_max_percent: Percent | None = Field(None, description="The same in its busiest second")
    iowait_percent: Percent | None = None
    steal_percent: Percent | None = None
    disk_read_bytes_s: BytesPerSecond | None = Field(None, description="All disks together")
    disk_write_bytes_s: BytesPerSecond | None = None
    disk_busy_percent: Percent | None = Field(None, description="Of the busiest disk")
    network_received_bytes_s: BytesPerSecond | None = None
    network_sent_bytes_s: BytesPerSecond | None = None

    @model_validator(mode="after")
    def _has_a_figure(self) -> "HostDocument":
        figures = self.model_dump(exclude={"name", "role", "count", "sampled_s", "server_latency_ms"})
        if all(value is None for value in figures.values()) and self.server_latency_ms == LatencyDocument():
            raise ValueError("needs a figure: CPU, disk, network, throughput_ops_s or server_latency_ms")
        mean, highest = self.cpu_percent, self.cpu_max_percent
        if mean is not None and highest is not None and mean > highest:
            raise ValueError(f"cpu_percent {mean:g} is above cpu_max_percent {highest:g}")
        return self
